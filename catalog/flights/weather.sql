-- The weather at each airport, hour by hour. The hour is an instant (UTC), unlike the local times of the flights.
CREATE TABLE weather (
    origin TEXT, year SMALLINT NOT NULL, month SMALLINT NOT NULL, day SMALLINT NOT NULL, hour SMALLINT NOT NULL,
    temp DOUBLE, dewp DOUBLE, humid DOUBLE, wind_dir SMALLINT, wind_speed DOUBLE, wind_gust DOUBLE, precip DOUBLE,
    pressure DOUBLE, visib DOUBLE, time_hour TIMESTAMP(0) WITH TIME ZONE,
    PRIMARY KEY (origin, time_hour)
);

COPY weather FROM 'data/weather.csv' (FORMAT csv, HEADER, NULL 'NA');
