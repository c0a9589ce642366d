#!/usr/bin/env python3
"""Writes times.txt: random stamps of the years 1 to 9999, and what Python's datetime makes of each.

The first line has the expressions, over a DATE d, a TIMESTAMP(6) t and the text x of t, each further one a stamp and their values;
what is beyond Python's years is `-`, and is not compared. Run it in this directory: python3 times.py > times.txt
"""

import calendar
import random
from datetime import date, datetime, timedelta

DRAW = random.Random(2)
HOSTILE = [
    datetime(1, 1, 1), datetime(1, 1, 1, 0, 0, 0, 1), datetime(1, 12, 31, 23, 59, 59, 999999), datetime(4, 2, 29),
    datetime(100, 2, 28, 23, 59, 59), datetime(1582, 10, 10), datetime(1677, 9, 21), datetime(1677, 9, 21, 0, 12, 43, 145224),
    datetime(1677, 9, 21, 0, 12, 43, 145225), datetime(1677, 9, 22), datetime(1700, 1, 1), datetime(1900, 2, 28),
    datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(1970, 1, 1), datetime(1970, 1, 1, 0, 0, 0, 1), datetime(2000, 1, 3),
    datetime(2000, 2, 29), datetime(2024, 2, 29, 12), datetime(2024, 12, 30), datetime(2026, 12, 31), datetime(2262, 4, 11),
    datetime(2262, 4, 11, 23, 47, 16, 854775), datetime(2262, 4, 11, 23, 47, 16, 854776), datetime(2262, 4, 12),
    datetime(2400, 2, 29), datetime(9998, 12, 31), datetime(9999, 1, 1), datetime(9999, 12, 31),
    datetime(9999, 12, 31, 23, 59, 59, 999999),
]


def drawn():
    day = date.min + timedelta(days=DRAW.randrange((date.max - date.min).days + 1))
    of_day = DRAW.choice([0, 0, DRAW.randrange(24) * 3600 * 10**6, DRAW.randrange(86_400) * 10**6, DRAW.randrange(86_400 * 10**6)])
    return datetime(day.year, day.month, day.day) + timedelta(microseconds=of_day)


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        text = f"{value.year:04}-{value.month:02}-{value.day:02}T{value.hour:02}:{value.minute:02}:{value.second:02}"
        if value.microsecond % 1000:
            return f"{text}.{value.microsecond:06}"
        return f"{text}.{value.microsecond // 1000:03}" if value.microsecond else text
    if isinstance(value, date):
        return f"{value.year:04}-{value.month:02}-{value.day:02}"
    return str(value)


def midnight(day):
    return datetime(day.year, day.month, day.day)


def truncated(unit, t):
    if unit == "week":
        days = t.toordinal() - 1 - t.weekday()
        # Monday, the 1st of January of the year 1, is the first day that there is.
        return midnight(date.fromordinal(days + 1)) if days >= 0 else None
    if unit == "quarter":
        return datetime(t.year, (t.month - 1) // 3 * 3 + 1, 1)
    fields = ["year", "month", "day", "hour", "minute", "second"]
    if unit in fields:
        kept = [t.year, t.month, t.day, t.hour, t.minute, t.second][: fields.index(unit) + 1]
        return datetime(*(kept + [1, 1][len(kept) - 1 :] if len(kept) < 3 else kept))
    return t.replace(microsecond=t.microsecond // 1000 * 1000) if unit == "millisecond" else t


def later(t, **by):
    try:
        return t + timedelta(**by)
    except OverflowError:
        return None


def months_later(t, months):
    month = t.year * 12 + t.month - 1 + months
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= 9999:
        return None
    return t.replace(year=year, month=month, day=min(t.day, calendar.monthrange(year, month)[1]))


def binned(t, width, origin):
    try:
        return origin + (t - origin) // width * width
    except OverflowError:
        return None


def written(t, text):
    return t.strftime(text).replace("%E", f"{t.year:04}")


EPOCH = datetime(1970, 1, 1)
UNITS = ["microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"]
EXPRESSIONS = {f"date_trunc('{unit}', t)": (lambda t, unit=unit: truncated(unit, t)) for unit in UNITS}
EXPRESSIONS |= {f"date_trunc('{unit}', d)": (lambda t, unit=unit: truncated(unit, midnight(t))) for unit in UNITS[4:]}
EXPRESSIONS |= {
    "extract(YEAR FROM d)": lambda t: t.year,
    "extract(QUARTER FROM t)": lambda t: (t.month + 2) // 3,
    "extract(MONTH FROM d)": lambda t: t.month,
    "extract(WEEK FROM t)": lambda t: t.isocalendar()[1],
    "extract(ISOYEAR FROM d)": lambda t: t.isocalendar()[0],
    "extract(DAY FROM t)": lambda t: t.day,
    "extract(DOW FROM d)": lambda t: t.isoweekday() % 7,
    "extract(DOY FROM t)": lambda t: t.timetuple().tm_yday,
    "extract(HOUR FROM t)": lambda t: t.hour,
    "extract(MINUTE FROM t)": lambda t: t.minute,
    "extract(SECOND FROM t)": lambda t: t.second,
    "CAST(extract(EPOCH FROM date_trunc('second', t)) AS BIGINT)": lambda t: (t - EPOCH) // timedelta(seconds=1),
    "CAST(extract(EPOCH FROM d) AS BIGINT)": lambda t: (midnight(t) - EPOCH) // timedelta(seconds=1),
    "to_unixtime(d)": lambda t: (midnight(t) - EPOCH) // timedelta(seconds=1),
    "last_day(d)": lambda t: t.date().replace(day=calendar.monthrange(t.year, t.month)[1]),
    "last_day(t)": lambda t: t.date().replace(day=calendar.monthrange(t.year, t.month)[1]),
    "d + INTERVAL '1 hour 30 minutes'": lambda t: later(midnight(t), minutes=90),
    "d - INTERVAL '1 microsecond'": lambda t: later(midnight(t), microseconds=-1),
    "d + INTERVAL '1 day'": lambda t: (lambda day: day and day.date())(later(midnight(t), days=1)),
    "d - INTERVAL '1 month'": lambda t: (lambda day: day and day.date())(months_later(midnight(t), -1)),
    "t + INTERVAL '1 month'": lambda t: months_later(t, 1),
    "t - INTERVAL '25 hours'": lambda t: later(t, hours=-25),
    "date_bin(INTERVAL '15 minutes', t)": lambda t: binned(t, timedelta(minutes=15), EPOCH),
    "date_bin(INTERVAL '7 hours', d, DATE '9999-12-31')": lambda t: binned(midnight(t), timedelta(hours=7), datetime(9999, 12, 31)),
    "date_bin(INTERVAL '3 months', t, DATE '0001-01-01')": lambda t: truncated("quarter", t),
    "time_bucket(INTERVAL '10 days', t)": lambda t: binned(t, timedelta(days=10), datetime(2000, 1, 3)),
    "time_bucket(INTERVAL '1 month', d)": lambda t: truncated("month", t),
    "CAST(t AS DATE)": lambda t: t.date(),
    "CAST(d AS TIMESTAMP(6))": midnight,
    "CAST(d AS TIMESTAMP(0))": midnight,
    "CAST(t AS TEXT)": shown,
    "CAST(d AS TEXT)": lambda t: shown(t.date()),
    "CAST(x AS TIMESTAMP(6))": lambda t: t,
    "CAST(x AS DATE)": lambda t: t.date(),
    "strftime(t, '%m/%d/%y %H:%M:%S.%f')": lambda t: written(t, "%m/%d/%y %H:%M:%S.%f"),
    "strftime(d, '%j %U %W %V %u %w %a %A %b %B %p')": lambda t: written(midnight(t), "%j %U %W %V %u %w %a %A %b %B %p"),
    "strftime(x, '%Y-%m-%d')": lambda t: shown(t.date()),
    "CAST(strptime(x, '%Y-%m-%dT%H:%M:%S%.f') AS TIMESTAMP(6))": lambda t: t,
    "CAST(strptime(strftime(t, '%d.%m.%Y %I:%M:%S.%f %p'), '%d.%m.%Y %I:%M:%S.%f %p') AS TIMESTAMP(6))": lambda t: t,
    "CAST(to_timestamp_micros(x) AS TIMESTAMP(6))": lambda t: t,
    "to_date(x, '%Y-%m-%dT%H:%M:%S%.f')": lambda t: t.date(),
    "date_diff('day', DATE '2000-01-01', d)": lambda t: t.toordinal() - date(2000, 1, 1).toordinal(),
    "date_diff('month', DATE '2000-01-01', t)": lambda t: (t.year - 2000) * 12 + t.month - 1,
    "d - DATE '2000-01-01'": lambda t: t.toordinal() - date(2000, 1, 1).toordinal(),
    "extract(DAY FROM t - DATE '0001-01-01')": lambda t: t.toordinal() - 1,
    "make_date(CAST(extract(YEAR FROM d) AS INT), 1, 1)": lambda t: date(t.year, 1, 1),
    "greatest(d, t)": lambda t: t,
    "coalesce(CAST(NULL AS TIMESTAMP), d)": midnight,
    "CASE WHEN extract(DAY FROM d) > 15 THEN d ELSE TIMESTAMP '2024-01-01 12:00' END": lambda t: midnight(t) if t.day > 15 else datetime(2024, 1, 1, 12),
    "d = t": lambda t: midnight(t) == t,
    "d >= t": lambda t: midnight(t) >= t,
    "d > TIMESTAMP '2024-01-01 00:00:00.000000001'": lambda t: t.date() > date(2024, 1, 1),
    "t < DATE '9999-12-31'": lambda t: t < datetime(9999, 12, 31),
}

stamps = HOSTILE + [drawn() for _ in range(220)]
print("\t".join(["stamp", *EXPRESSIONS]))
for stamp in stamps:
    print("\t".join([shown(stamp), *(shown(compute(stamp)) for compute in EXPRESSIONS.values())]))
