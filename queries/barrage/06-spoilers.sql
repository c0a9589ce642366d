-- title: Who gave the end away
-- by_film: ranges 1, keys_read 169
--
-- The evening of the film is one range; its words are read and asked.
SELECT ts, user_id, at_second
FROM barrage
WHERE film_id = 1001 AND ts >= TIMESTAMP '2024-01-01 18:00:00' AND ts < TIMESTAMP '2024-01-02'
  AND words LIKE 'SPOILER%'
ORDER BY ts DESC;
