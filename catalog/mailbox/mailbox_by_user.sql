-- Mailboxes: the messages of one user lie together, in the order in which they came. Reading is always of one mailbox,
-- so nothing has to be spread; the largest is still small beside a machine.
CREATE TABLE mailbox_by_user (
    user_id TEXT, day DATE, message_id BIGINT, sender TEXT NOT NULL, subject TEXT NOT NULL, bytes INTEGER NOT NULL,
    unread BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, day, message_id)
);

COPY mailbox_by_user FROM 'data/mailbox.parquet' (FORMAT parquet);
