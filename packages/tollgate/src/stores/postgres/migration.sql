-- Tollgate's counts in PostgreSQL 14 or later. Apply this file once, as the owner of the schema; the application needs
-- USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on tollgate.counts.
--
-- Times are whole microseconds since the epoch. All numbers are float8, so that the functions decide as the kernels of
-- the library do, to the bit; the comments there (`src/algorithms`) give the reasons.

CREATE SCHEMA tollgate;

-- A limit as a row describes it. `algorithm` is 1 for a token bucket, 2 for a sliding window, 3 for a fixed window, and
-- 4 for a limit on concurrency. `length` is the period, the window or the time to live. `refill` is the resolution of a
-- sliding window. `unit` is the ticks of a unit, the places of a ring, or the step of moments. A window by the calendar
-- has four starts of windows from `unit` to `period`.
CREATE TYPE tollgate.lim AS (
  id float8, kind float8, algorithm float8, capacity float8, length float8, refill float8, idle float8,
  unit float8, per_us float8, per_period float8, period float8, exact float8, origin float8, most_debt float8
);

-- What counts under one limit. The limits of the list that counted last are one list, and are idle together.
CREATE TYPE tollgate.entry AS (lim tollgate.lim, list float8, cells float8[]);

-- A key with all its counts. Decisions made before `born` correct nothing. `forgotten` has, for each limit that was
-- reset, its id, when, and how long that matters. `block` has its end, the offences, when they are forgotten, and the
-- reason. Rows change in place: no index on changing columns ends HOT updates, and half of each page is free for them.
CREATE UNLOGGED TABLE tollgate.counts (
  key text COLLATE "C" PRIMARY KEY,
  born float8 NOT NULL,
  expires float8 NOT NULL,
  entries tollgate.entry[] NOT NULL,
  forgotten float8[] NOT NULL,
  block float8[]
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- What one call did to one row.
CREATE TYPE tollgate.outcome AS (
  r tollgate.counts, changed boolean, admitted float8, answer float8[], places float8[], capacities float8[], notes float8[]
);

-- The last tick that is not after a moment.
CREATE FUNCTION tollgate.ticks_at(l tollgate.lim, us float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  elapsed float8 := us - l.origin;
  periods float8;
  rest float8;
  whole float8;
  fraction float8;
  doubt float8;
BEGIN
  IF l.exact = 1 THEN RETURN elapsed * l.per_us; END IF;
  periods := floor(elapsed / l.period);
  rest := elapsed - periods * l.period;
  whole := floor(rest * l.per_us);
  fraction := rest * l.per_us - whole;
  doubt := l.per_period * 4.440892098500626e-16::float8;
  IF NOT (fraction > doubt AND fraction < 1 - doubt) THEN
    whole := div(rest::bigint::numeric * l.per_period::bigint::numeric, l.period::bigint::numeric)::float8;
  END IF;
  RETURN periods * l.per_period + whole;
END $$;

-- Microseconds from now until this tick has come.
CREATE FUNCTION tollgate.until_us(l tollgate.lim, ticks float8, now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  periods float8;
  rest numeric;
  elapsed float8;
BEGIN
  IF ticks <= tollgate.ticks_at(l, now) THEN RETURN 0; END IF;
  IF l.exact = 1 THEN
    elapsed := ceil(ticks / l.per_us);
  ELSE
    periods := floor(ticks / l.per_period);
    rest := (ticks - periods * l.per_period)::bigint::numeric * l.period::bigint::numeric;
    elapsed := periods * l.period
      + div(rest + l.per_period::bigint::numeric - 1, l.per_period::bigint::numeric)::float8;
  END IF;
  RETURN greatest(0, elapsed - (now - l.origin));
END $$;

-- The place in a ring's cells of a group's last moment; its running total is in the next one.
CREATE FUNCTION tollgate.ring_at(l tollgate.lim, grp float8) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT 3 + 2 * (grp::bigint % l.unit::bigint)::int
$$;

-- The first group of a ring that has not left.
CREATE FUNCTION tollgate.first_staying(l tollgate.lim, c float8[], now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  places int := l.unit;
  upto bigint := c[1];
  fro bigint := CASE WHEN upto > places THEN upto - places + 1 ELSE 0 END;
  middle bigint;
BEGIN
  WHILE fro < upto LOOP
    middle := (fro + upto) / 2;
    IF c[3 + 2 * (middle % places)] + l.length <= now THEN fro := middle + 1; ELSE upto := middle; END IF;
  END LOOP;
  RETURN fro;
END $$;

-- The first group of a ring whose running total reaches a total.
CREATE FUNCTION tollgate.first_reaching(l tollgate.lim, c float8[], total float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  places int := l.unit;
  upto bigint := c[1] - 1;
  fro bigint := greatest(0, c[1] - places);
  middle bigint;
BEGIN
  WHILE fro < upto LOOP
    middle := (fro + upto) / 2;
    IF c[4 + 2 * (middle % places)] >= total THEN upto := middle; ELSE fro := middle + 1; END IF;
  END LOOP;
  RETURN fro;
END $$;

-- The running total of the last group that left.
CREATE FUNCTION tollgate.total_left(l tollgate.lim, c float8[], now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  first float8 := tollgate.first_staying(l, c, now);
BEGIN
  IF first = 0 THEN RETURN 0; END IF;
  RETURN c[tollgate.ring_at(l, first - 1) + 1];
END $$;

CREATE FUNCTION tollgate.have_all_left(l tollgate.lim, c float8[], now float8) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  newest float8 := c[1] - 1;
BEGIN
  IF newest > 0 AND c[tollgate.ring_at(l, newest) + 1] = c[tollgate.ring_at(l, newest - 1) + 1] THEN
    newest := newest - 1;
  END IF;
  RETURN c[1] = 0 OR c[tollgate.ring_at(l, newest)] + l.length <= now;
END $$;

-- The first group of places that expire at a moment or later, from 0.
CREATE FUNCTION tollgate.places_from(c float8[], moment float8) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  grp int := 0;
BEGIN
  WHILE 2 * grp < cardinality(c) AND c[2 * grp + 1] < moment LOOP grp := grp + 1; END LOOP;
  RETURN grp;
END $$;

-- The cells of an idle key, or of a bucket that starts empty.
CREATE FUNCTION tollgate.new_cells(l tollgate.lim, now float8) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF l.kind = 101 THEN RETURN ARRAY[tollgate.ticks_at(l, now) + l.capacity * l.unit]; END IF;
  RETURN CASE l.algorithm
    WHEN 1 THEN ARRAY[-18014398509481984] WHEN 4 THEN '{}' ELSE ARRAY[0, 0]
  END::float8[];
END $$;

CREATE FUNCTION tollgate.used(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  sum float8 := 0;
BEGIN
  IF l.algorithm = 1 THEN RETURN ceil(greatest(0, c[1] - tollgate.ticks_at(l, now)) / l.unit); END IF;
  IF l.algorithm = 3 THEN RETURN CASE WHEN c[1] <= now THEN 0 ELSE c[2] END; END IF;
  IF l.algorithm = 2 THEN
    IF c[1] = 0 THEN RETURN 0; END IF;
    RETURN c[tollgate.ring_at(l, c[1] - 1) + 1] - tollgate.total_left(l, c, now);
  END IF;
  FOR i IN 1 .. cardinality(c) BY 2 LOOP
    IF c[i] > now THEN sum := sum + c[i + 1]; END IF;
  END LOOP;
  RETURN sum;
END $$;

-- How often a cost fits, at most so often.
CREATE FUNCTION tollgate.fits(l tollgate.lim, c float8[], now float8, cost float8, most float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ticks float8;
  spare float8;
BEGIN
  IF l.algorithm = 1 THEN
    ticks := tollgate.ticks_at(l, now);
    IF greatest(c[1], ticks) + (cost - l.capacity) * l.unit > ticks THEN RETURN 0; END IF;
    IF cost = 0 OR most = 1 THEN RETURN most; END IF;
    spare := ticks - greatest(c[1], ticks) - (cost - l.capacity) * l.unit;
    RETURN least(floor(spare / (cost * l.unit)) + 1, most);
  END IF;
  spare := tollgate.used(l, c, now);
  IF spare + cost > l.capacity THEN RETURN 0; END IF;
  IF cost = 0 OR most = 1 THEN RETURN most; END IF;
  RETURN least(floor((l.capacity - spare) / cost), most);
END $$;

-- The time until nothing counts.
CREATE FUNCTION tollgate.reset(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF l.algorithm = 1 THEN RETURN tollgate.until_us(l, c[1], now); END IF;
  IF l.algorithm = 4 THEN
    RETURN CASE WHEN cardinality(c) = 0 THEN 0 ELSE greatest(0, c[cardinality(c) - 1] - now) END;
  END IF;
  IF tollgate.used(l, c, now) = 0 THEN RETURN 0; END IF;
  IF l.algorithm = 3 THEN RETURN c[1] - now; END IF;
  RETURN greatest(0, l.length - now
    + c[tollgate.ring_at(l, tollgate.first_reaching(l, c, c[tollgate.ring_at(l, c[1] - 1) + 1]))]);
END $$;

-- The wait for a cost; -1 for never.
CREATE FUNCTION tollgate.wait(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  used float8;
  wait float8 := 0;
BEGIN
  IF cost > l.capacity THEN RETURN -1; END IF;
  IF l.algorithm = 1 THEN RETURN tollgate.until_us(l, c[1] + (cost - l.capacity) * l.unit, now); END IF;
  used := tollgate.used(l, c, now);
  IF used + cost <= l.capacity THEN RETURN 0; END IF;
  IF l.algorithm = 3 THEN RETURN tollgate.reset(l, c, now); END IF;
  IF l.algorithm = 2 THEN
    used := c[tollgate.ring_at(l, c[1] - 1) + 1] - (l.capacity - cost);
    RETURN greatest(0, l.length - now + c[tollgate.ring_at(l, tollgate.first_reaching(l, c, used))]);
  END IF;
  FOR i IN 1 .. cardinality(c) BY 2 LOOP
    CONTINUE WHEN c[i] <= now;
    EXIT WHEN used + cost <= l.capacity;
    used := used - c[i + 1];
    wait := c[i] - now;
  END LOOP;
  RETURN wait;
END $$;

-- Places of a moment are added. Without cells for one more group, the next later one has them.
CREATE FUNCTION tollgate.add_places(l tollgate.lim, c float8[], moment float8, count float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  grp int := tollgate.places_from(c, moment);
  groups int := cardinality(c) / 2;
  is_full boolean := groups = least(l.capacity, 64);
BEGIN
  IF grp = groups AND is_full THEN
    grp := grp - 1;
    c[2 * grp + 1] := moment;
  ELSIF grp = groups OR (NOT is_full AND c[2 * grp + 1] > moment) THEN
    c := c[: 2 * grp] || ARRAY[moment, 0::float8] || c[2 * grp + 1 :];
  END IF;
  c[2 * grp + 2] := least(c[2 * grp + 2] + count, 9007199254740991);
  RETURN c;
END $$;

CREATE FUNCTION tollgate.take(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  spare float8;
  groups bigint;
  newest bigint;
  total float8 := 0;
  comes float8 := now;
  joins boolean;
  is_empty boolean := false;
  opens boolean;
BEGIN
  IF l.algorithm = 1 THEN
    spare := tollgate.ticks_at(l, now);
    c[1] := greatest(c[1], least(greatest(c[1], spare) + cost * l.unit, spare + l.most_debt));
    RETURN c;
  END IF;
  IF l.algorithm = 3 THEN
    spare := tollgate.used(l, c, now);
    IF spare = 0 THEN
      c[1] := CASE WHEN l.kind = 99 THEN (floor(now / l.length) + 1) * l.length
        WHEN l.kind = 102 THEN now + l.length
        WHEN now < l.unit THEN l.unit WHEN now < l.per_us THEN l.per_us
        WHEN now < l.per_period THEN l.per_period ELSE l.period END;
    END IF;
    c[2] := least(spare + cost, 9007199254740991);
    RETURN c;
  END IF;
  IF l.algorithm = 4 THEN
    WHILE cardinality(c) > 0 AND c[1] <= now LOOP c := c[3 :]; END LOOP;
    RETURN tollgate.add_places(l, c, ceil((now + l.length) / l.unit) * l.unit, cost);
  END IF;
  IF tollgate.have_all_left(l, c, now) THEN c[1] := 0; END IF;
  groups := c[1];
  newest := groups - 1;
  IF groups > 0 THEN
    IF c[tollgate.ring_at(l, newest) + 1] + cost > 9007199254740991 THEN
      spare := tollgate.total_left(l, c, now);
      FOR i IN greatest(0, groups - l.unit::bigint) .. newest LOOP
        c[tollgate.ring_at(l, i) + 1] := greatest(0, c[tollgate.ring_at(l, i) + 1] - spare);
      END LOOP;
    END IF;
    total := c[tollgate.ring_at(l, newest) + 1];
    comes := greatest(now, c[tollgate.ring_at(l, newest)]);
    is_empty := newest > 0 AND total = c[tollgate.ring_at(l, newest - 1) + 1];
  END IF;
  joins := groups > 0 AND comes - c[2] < greatest(l.refill, 1);
  opens := NOT joins AND (is_empty OR groups < l.unit
    OR c[tollgate.ring_at(l, groups - l.unit + 1)] + l.length <= now);
  IF opens AND NOT is_empty THEN newest := groups; END IF;
  c[tollgate.ring_at(l, newest)] := comes;
  c[tollgate.ring_at(l, newest) + 1] := least(total + cost, 9007199254740991);
  IF opens THEN
    c[1] := newest + 1;
    c[2] := comes;
  END IF;
  RETURN c;
END $$;

-- Gives units back, never beyond full.
CREATE FUNCTION tollgate.give_back(l tollgate.lim, c float8[], now float8, cost float8, times float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  spare float8 := CASE WHEN l.algorithm = 1 THEN tollgate.ticks_at(l, now) ELSE tollgate.used(l, c, now) END;
  most float8;
  grp bigint;
  newest bigint;
  total float8;
BEGIN
  IF l.algorithm = 1 THEN
    most := greatest(floor(9007199254740991 / (cost * l.unit)), 1);
    WHILE times > 0 AND c[1] > spare LOOP
      c[1] := greatest(c[1] - least(times, most) * (cost * l.unit), spare);
      times := times - least(times, most);
    END LOOP;
    RETURN c;
  END IF;
  cost := times * cost;
  IF l.algorithm = 3 THEN
    IF spare > 0 THEN c[2] := greatest(spare - cost, 0); END IF;
    RETURN c;
  END IF;
  IF l.algorithm = 4 THEN
    grp := tollgate.places_from(c, now + l.length);
    WHILE cost > 0 AND 2 * grp < cardinality(c) LOOP
      total := least(cost, c[2 * grp + 2]);
      cost := cost - total;
      IF total < c[2 * grp + 2] THEN
        c[2 * grp + 2] := c[2 * grp + 2] - total;
      ELSE
        c := c[: 2 * grp] || c[2 * grp + 3 :];
      END IF;
    END LOOP;
    RETURN c;
  END IF;
  IF cost >= spare THEN
    IF spare > 0 THEN c[1] := 0; END IF;
    RETURN c;
  END IF;
  newest := c[1] - 1;
  total := c[tollgate.ring_at(l, newest) + 1] - cost;
  grp := tollgate.first_reaching(l, c, total);
  spare := c[tollgate.ring_at(l, newest)];
  c[tollgate.ring_at(l, grp) + 1] := total;
  IF grp = newest THEN RETURN c; END IF;
  grp := grp + 1;
  c[tollgate.ring_at(l, grp)] := spare;
  c[tollgate.ring_at(l, grp) + 1] := total;
  IF grp = newest THEN RETURN c; END IF;
  IF newest < l.unit THEN
    c[1] := grp + 1;
    RETURN c;
  END IF;
  -- The ring has wrapped: freed places become its oldest part, which only holds a total to subtract.
  total := c[tollgate.ring_at(l, newest + 1 - l.unit) + 1];
  FOR i IN grp + 1 .. newest + 1 LOOP
    c[tollgate.ring_at(l, i)] := -18014398509481984;
    c[tollgate.ring_at(l, i) + 1] := total;
  END LOOP;
  c[1] := grp + 1 + l.unit;
  RETURN c;
END $$;

-- Gives back units of the take that leaves at a moment, as far as they still count.
CREATE FUNCTION tollgate.correct(l tollgate.lim, c float8[], now float8, units float8, moment float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  came float8 := moment - l.length;
  groups bigint;
  grp bigint;
  own float8;
  given float8;
BEGIN
  IF l.algorithm = 3 THEN
    RETURN CASE WHEN c[1] = moment THEN tollgate.give_back(l, c, now, units, 1) ELSE c END;
  END IF;
  IF now >= moment THEN RETURN c; END IF;
  IF l.algorithm = 1 THEN RETURN tollgate.give_back(l, c, now, units, 1); END IF;
  IF l.algorithm = 4 THEN
    grp := tollgate.places_from(c, moment);
    IF c[2 * grp + 1] IS DISTINCT FROM moment THEN RETURN c; END IF;
    IF c[2 * grp + 2] <= units THEN RETURN c[: 2 * grp] || c[2 * grp + 3 :]; END IF;
    c[2 * grp + 2] := c[2 * grp + 2] - units;
    RETURN c;
  END IF;
  groups := c[1];
  IF groups = 0 THEN RETURN c; END IF;
  -- The first group whose last unit came at that moment or later.
  grp := tollgate.first_staying(l, c, moment - 1);
  IF grp = groups THEN RETURN c; END IF;
  -- Otherwise their own group is gone.
  IF c[tollgate.ring_at(l, grp)] - came >= greatest(l.refill, 1) AND NOT (grp = groups - 1 AND c[2] <= came) THEN
    RETURN c;
  END IF;
  own := c[tollgate.ring_at(l, grp) + 1];
  IF grp > 0 THEN own := own - c[tollgate.ring_at(l, grp - 1) + 1]; END IF;
  given := least(units, own);
  IF given = 0 THEN RETURN c; END IF;
  IF given = tollgate.used(l, c, now) THEN
    c[1] := 0;
    RETURN c;
  END IF;
  FOR i IN grp .. groups - 1 LOOP
    c[tollgate.ring_at(l, i) + 1] := c[tollgate.ring_at(l, i) + 1] - given;
  END LOOP;
  -- A group without units goes, unless it is the newest, which keeps its opening time.
  IF grp = groups - 1 OR given < own THEN RETURN c; END IF;
  IF groups <= l.unit THEN
    FOR i IN grp .. groups - 2 LOOP
      c[tollgate.ring_at(l, i)] := c[tollgate.ring_at(l, i + 1)];
      c[tollgate.ring_at(l, i) + 1] := c[tollgate.ring_at(l, i + 1) + 1];
    END LOOP;
    c[1] := groups - 1;
    RETURN c;
  END IF;
  own := groups - l.unit + 1;
  FOR i IN REVERSE grp .. own + 1 LOOP
    c[tollgate.ring_at(l, i)] := c[tollgate.ring_at(l, i - 1)];
    c[tollgate.ring_at(l, i) + 1] := c[tollgate.ring_at(l, i - 1) + 1];
  END LOOP;
  c[tollgate.ring_at(l, own)] := -18014398509481984;
  c[tollgate.ring_at(l, own) + 1] := c[tollgate.ring_at(l, own - 1) + 1];
  RETURN c;
END $$;

-- The cells of a key that has used as much as the same limit with other numbers says.
CREATE FUNCTION tollgate.adopt(l tollgate.lim, now float8, f tollgate.lim, theirs float8[]) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  c float8[] := tollgate.new_cells(l, now);
  used float8;
  units float8;
  rest float8;
  first bigint;
BEGIN
  IF l.algorithm = 3 THEN RETURN theirs; END IF;
  IF l.algorithm = 1 THEN
    used := greatest(0, theirs[1] - tollgate.ticks_at(f, now));
    rest := (used::bigint % f.unit::bigint)::float8;
    units := (used - rest) / f.unit * l.unit
      + CASE WHEN rest > 0 THEN least(floor(rest / f.unit * l.unit) + 2, l.unit) ELSE 0 END;
    IF units = 0 THEN RETURN ARRAY[-18014398509481984::float8]; END IF;
    RETURN ARRAY[tollgate.ticks_at(l, now) + least(units, l.most_debt)];
  END IF;
  IF l.algorithm = 4 THEN
    FOR i IN 1 .. cardinality(theirs) BY 2 LOOP
      IF theirs[i] > now THEN c := tollgate.add_places(l, c, theirs[i], theirs[i + 1]); END IF;
    END LOOP;
    RETURN c;
  END IF;
  IF tollgate.have_all_left(f, theirs, now) AND greatest(f.refill, 1) = greatest(l.refill, 1) THEN RETURN c; END IF;
  used := CASE WHEN theirs[1] = 0 THEN 0 ELSE tollgate.total_left(f, theirs, now) END;
  IF greatest(f.refill, 1) = greatest(l.refill, 1) THEN
    first := CASE WHEN used <> 0 THEN tollgate.first_reaching(f, theirs, used + 1)
      ELSE greatest(0, theirs[1] - f.unit) END;
    IF theirs[1] - first <= l.unit THEN
      FOR i IN first .. theirs[1]::bigint - 1 LOOP
        c[3 + 2 * (i - first)] := theirs[tollgate.ring_at(f, i)];
        c[4 + 2 * (i - first)] := theirs[tollgate.ring_at(f, i) + 1] - used;
      END LOOP;
      c[1] := theirs[1] - first;
      c[2] := theirs[2];
      RETURN c;
    END IF;
  END IF;
  FOR i IN greatest(0, theirs[1]::bigint - f.unit::bigint) .. theirs[1]::bigint - 1 LOOP
    rest := theirs[tollgate.ring_at(f, i) + 1];
    IF rest > used THEN
      c := tollgate.take(l, c, theirs[tollgate.ring_at(f, i)], rest - used);
      used := rest;
    END IF;
  END LOOP;
  RETURN c;
END $$;

-- Microseconds until a list of a row is idle; of all lists and the block without one.
CREATE FUNCTION tollgate.idle_in(r tollgate.counts, of_list float8, now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  e tollgate.entry;
  o tollgate.entry;
  idle float8;
  longest float8 := CASE WHEN of_list IS NULL AND r.block IS NOT NULL THEN greatest(r.block[3] - now, 0) ELSE 0 END;
BEGIN
  FOREACH e IN ARRAY r.entries LOOP
    CONTINUE WHEN e.list <> of_list;
    idle := (e.lim).idle;
    IF cardinality(r.entries) > 1 THEN
      FOREACH o IN ARRAY r.entries LOOP
        IF o.list = e.list THEN idle := greatest(idle, (o.lim).idle); END IF;
      END LOOP;
    END IF;
    longest := greatest(longest, tollgate.reset(e.lim, e.cells, now - idle));
  END LOOP;
  RETURN longest;
END $$;

-- Applies a verb to one row. The verb is what it changes (1), whether it decides (2), charges (4), refunds (8) or
-- renews (16). The plan in `a` from `p` on is whether the first numbers are kept, the number of limits, whether one
-- starts empty, whether one blocks keys, and for each its description, whether it enforces, the number of its blocks'
-- durations, these, when offences are forgotten, and whether blocks are extended. Without `force` as many of `times`
-- identical calls are made as conform. Notes of limits that are counted under other numbers begin with `place`.
CREATE FUNCTION tollgate.apply(
  r tollgate.counts, a float8[], p int, verb int, costs float8[], untils float8[], moment float8,
  times float8, force boolean, wanted boolean, now float8, place float8[]
) RETURNS tollgate.outcome LANGUAGE plpgsql STABLE AS $$
DECLARE
  o tollgate.outcome;
  n int := a[p + 1];
  changes boolean := verb & 1 > 0;
  l tollgate.lim;
  e tollgate.entry;
  own tollgate.entry[] := '{}';
  found tollgate.entry[] := '{}';
  enforces float8[] := '{}';
  conforms float8[] := '{}';
  ids float8[] := '{}';
  is_new boolean := true;
  is_known boolean;
  is_own_list boolean;
  is_moved boolean := false;
  starts_empty boolean := false;
  starts_anew boolean := false;
  matters boolean := a[p] = 1;
  keeps boolean := false;
  idle float8 := 0;
  cost float8;
  ticks float8;
  list float8;
  at int := p + 4;
  kind float8;
BEGIN
  o.changed := false;
  FOR i IN 1 .. n LOOP
    l := ROW(a[at], a[at + 1], a[at + 2], a[at + 3], a[at + 4], a[at + 5], a[at + 6], a[at + 7], a[at + 8], a[at + 9],
      a[at + 10], a[at + 11], a[at + 12], a[at + 13]);
    own[i] := ROW(l, 0, NULL);
    ids[i] := l.id;
    enforces[i] := a[at + 14];
    at := at + 16 + CASE WHEN a[at + 15] > 0 THEN a[at + 15]::int + 2 ELSE 0 END;
    FOREACH e IN ARRAY r.entries LOOP
      IF (e.lim).id = l.id THEN
        -- The starts of windows by the calendar are those that the call knows.
        IF l.kind = 100 THEN
          e.lim := ROW(l.id, 100, 3, (e.lim).capacity, 0, 0, 0, l.unit, l.per_us, l.per_period, l.period, 0, 0, 0);
        END IF;
        found[i] := e;
        IF e.lim <> l THEN matters := true; END IF;
      END IF;
    END LOOP;
  END LOOP;
  -- Whether the entries of the plan are those of its list alone.
  is_own_list := true;
  FOREACH e IN ARRAY r.entries LOOP
    list := greatest(list, e.list);
    IF (e.lim).id = ANY (ids) THEN is_new := false; END IF;
  END LOOP;
  is_known := NOT is_new;
  IF is_known THEN
    FOR i IN 1 .. n LOOP
      is_own_list := is_own_list AND found[i] IS NOT NULL AND (found[i]).list = (found[1]).list;
    END LOOP;
    FOREACH e IN ARRAY r.entries LOOP
      is_own_list := is_own_list AND (e.list <> (found[1]).list OR (e.lim).id = ANY (ids));
    END LOOP;
  END IF;
  matters := matters OR NOT is_own_list;
  -- An idle limit is as a new one, unless it starts empty, or other numbers or limits were counted with it.
  is_new := true;
  FOR i IN 1 .. n LOOP
    IF matters AND found[i] IS NOT NULL AND tollgate.idle_in(r, (found[i]).list, now) <= 0 THEN found[i] := NULL; END IF;
    is_new := is_new AND found[i] IS NULL;
  END LOOP;
  FOR i IN 1 .. n LOOP
    e := own[i];
    l := e.lim;
    IF found[i] IS NULL THEN
      e.cells := tollgate.new_cells(l, now);
    ELSIF (found[i]).lim = l THEN
      e.cells := (found[i]).cells;
    ELSE
      kind := ((found[i]).lim).kind;
      o.notes := o.notes || place || ARRAY[i, CASE WHEN changes AND a[p] = 0 THEN 1 ELSE 0 END, kind, ((found[i]).lim).capacity]
        || CASE WHEN kind <> 100 THEN ARRAY[((found[i]).lim).length] END
        || CASE WHEN kind IN (101, 114, 115) THEN ARRAY[((found[i]).lim).refill] END
        || CASE WHEN kind = 101 THEN ARRAY[((found[i]).lim).idle] END;
      IF a[p] = 1 THEN
        e.lim := (found[i]).lim;
        e.cells := (found[i]).cells;
      ELSE
        e.cells := tollgate.adopt(l, now, (found[i]).lim, (found[i]).cells);
        is_moved := true;
      END IF;
    END IF;
    own[i] := e;
    starts_empty := starts_empty OR (e.lim).kind = 101;
    idle := greatest(idle, (e.lim).idle);
  END LOOP;
  IF starts_empty AND NOT is_new THEN
    starts_anew := true;
    FOREACH e IN ARRAY own LOOP
      starts_anew := starts_anew AND tollgate.reset(e.lim, e.cells, now - idle) <= 0;
    END LOOP;
    FOR i IN 1 .. CASE WHEN starts_anew THEN n ELSE 0 END LOOP
      own[i].cells := tollgate.new_cells((own[i]).lim, now);
    END LOOP;
  END IF;
  keeps := changes AND (is_moved OR starts_anew OR NOT is_own_list);

  o.admitted := times;
  IF verb & 8 > 0 THEN
    FOR i IN 1 .. n LOOP
      CONTINUE WHEN costs[i] = 0;
      e := own[i];
      IF untils IS NULL THEN
        own[i].cells := tollgate.give_back(e.lim, e.cells, now, costs[i], times);
        keeps := keeps OR NOT is_new;
      ELSIF NOT is_new AND tollgate.remembers(r, (e.lim).id, moment) THEN
        -- A new key has nothing of what was taken.
        own[i].cells := tollgate.correct(e.lim, e.cells, now, costs[i], untils[i]);
        keeps := true;
      END IF;
    END LOOP;
    keeps := keeps OR (untils IS NULL AND is_new AND starts_empty);
  ELSIF verb & 16 > 0 THEN
    FOR i IN 1 .. n LOOP
      conforms[i] := 1;
      CONTINUE WHEN costs[i] = 0;
      e := own[i];
      at := tollgate.places_from(e.cells, untils[i]);
      IF (e.lim).algorithm = 4 AND untils[i] > now AND tollgate.remembers(r, (e.lim).id, moment)
        AND e.cells[2 * at + 1] = untils[i] AND e.cells[2 * at + 2] >= costs[i] THEN
        e.cells := tollgate.correct(e.lim, e.cells, now, costs[i], untils[i]);
        own[i].cells := tollgate.take(e.lim, e.cells, now, costs[i]);
        keeps := true;
      ELSE
        conforms[i] := 0;
        o.admitted := 0;
      END IF;
    END LOOP;
    costs := array_fill(0::float8, ARRAY[n]);
    keeps := keeps OR (is_new AND starts_empty);
  ELSE
    FOR i IN 1 .. n LOOP
      e := own[i];
      cost := tollgate.fits(e.lim, e.cells, now, costs[i], times);
      conforms[i] := CASE WHEN cost > 0 THEN 1 ELSE 0 END;
      IF enforces[i] = 1 THEN o.admitted := least(o.admitted, cost); END IF;
    END LOOP;
    IF verb & 4 > 0 OR (verb & 2 > 0 AND o.admitted > 0) THEN
      ticks := CASE WHEN force THEN times ELSE o.admitted END;
      FOR i IN 1 .. n LOOP
        e := own[i];
        cost := CASE WHEN verb & 4 > 0 OR enforces[i] = 1 THEN ticks
          ELSE tollgate.fits(e.lim, e.cells, now, costs[i], ticks) END;
        CONTINUE WHEN cost = 0 OR costs[i] = 0;
        own[i].cells := tollgate.take(e.lim, e.cells, now, cost * costs[i]);
        keeps := keeps OR changes;
      END LOOP;
    END IF;
    keeps := keeps OR (changes AND is_new AND starts_empty);
  END IF;

  FOR i IN 1 .. n LOOP
    e := own[i];
    IF a[p + 3] = 1 THEN o.capacities := o.capacities || (e.lim).capacity; END IF;
    CONTINUE WHEN (e.lim).algorithm <> 4;
    at := tollgate.places_from(e.cells, ceil((now + (e.lim).length) / (e.lim).unit) * (e.lim).unit);
    o.places := o.places || coalesce(e.cells[2 * at + 1], 0);
  END LOOP;
  IF wanted OR o.admitted < times THEN
    o.answer := '{}';
    FOR i IN 1 .. n LOOP
      e := own[i];
      cost := tollgate.wait(e.lim, e.cells, now, costs[i]);
      o.answer := o.answer || ARRAY[conforms[i], tollgate.used(e.lim, e.cells, now), cost,
        CASE WHEN cost = -1 THEN 0 ELSE tollgate.used(e.lim, e.cells, now + cost) END,
        tollgate.reset(e.lim, e.cells, now)];
    END LOOP;
  ELSE
    o.answer := conforms;
  END IF;
  IF keeps THEN
    IF is_known AND is_own_list AND cardinality(r.entries) = n THEN
      r.entries := own;
    ELSE
      FOREACH e IN ARRAY r.entries LOOP
        IF NOT (e.lim).id = ANY (ids) THEN own := own || e; END IF;
      END LOOP;
      FOR i IN 1 .. n LOOP own[i].list := coalesce(list, 0) + 1; END LOOP;
      r.entries := own;
    END IF;
    o.changed := true;
  END IF;
  o.r := r;
  RETURN o;
END $$;

-- Whether a row knows what a limit counted at a moment.
CREATE FUNCTION tollgate.remembers(r tollgate.counts, id float8, moment float8) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR i IN 1 .. cardinality(r.forgotten) BY 3 LOOP
    IF r.forgotten[i] = id AND moment < r.forgotten[i + 1] THEN RETURN false; END IF;
  END LOOP;
  RETURN r.born <= moment;
END $$;

-- Decides calls for several keys, or several plans, all or nothing: of two calls for one key each may conform alone, but
-- not both. Each call is 4 numbers of `calls`: its row, its plan in `a`, its costs there, and its receipt there or 0.
CREATE FUNCTION tollgate.transact(
  INOUT rows tollgate.counts[], INOUT changed boolean[], a float8[], calls int[], verb int, wanted boolean, now float8,
  number float8, OUT ok boolean, OUT answer float8[], OUT places float8[], OUT capacities float8[], OUT notes float8[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  o tollgate.outcome;
  saved tollgate.counts[];
  were boolean[];
  n int;
  k int;
  p int;
  receipt int;
  pass text;
BEGIN
  ok := true;
  -- Counts under other numbers move, even if the call is denied. A bucket that starts empty starts to fill with its
  -- first call, even a denied one. A denial shows all keys as they are.
  FOREACH pass IN ARRAY ARRAY['move', 'decide', 'touch', 'explain'] LOOP
    CONTINUE WHEN pass IN ('move', 'touch') AND verb & 1 = 0;
    EXIT WHEN pass IN ('touch', 'explain') AND (ok OR verb & 2 = 0);
    IF pass = 'decide' THEN
      saved := rows;
      were := changed;
    END IF;
    IF pass IN ('decide', 'explain') THEN
      answer := '{}';
      places := NULL;
      capacities := NULL;
    END IF;
    FOR i IN 0 .. cardinality(calls) / 4 - 1 LOOP
      k := calls[4 * i + 1];
      p := calls[4 * i + 2];
      n := a[p + 1];
      receipt := calls[4 * i + 4];
      CONTINUE WHEN pass = 'touch' AND a[p + 2] = 0;
      o := tollgate.apply(rows[k], a, p, CASE pass WHEN 'explain' THEN 0 WHEN 'move' THEN 1 ELSE verb END,
        CASE WHEN pass IN ('move', 'touch') THEN array_fill(0::float8, ARRAY[n])
          ELSE a[calls[4 * i + 3] : calls[4 * i + 3] + n - 1] END,
        CASE WHEN receipt > 0 THEN a[receipt : receipt + n - 1] END, a[receipt + n],
        1, true, pass = 'explain' OR wanted OR verb & 2 = 0, now, ARRAY[number, i + 1]);
      IF o.changed THEN
        rows[k] := o.r;
        changed[k] := true;
      END IF;
      notes := notes || o.notes;
      CONTINUE WHEN pass IN ('move', 'touch');
      answer := answer || o.answer;
      places := places || o.places;
      capacities := capacities || o.capacities;
      CONTINUE WHEN pass = 'explain' OR o.admitted = 1;
      ok := false;
      IF verb & 3 = 3 THEN
        rows := saved;
        changed := were;
        EXIT;
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- Removes what counts under a plan. Decisions that took some of it are told from later ones by the moment.
CREATE FUNCTION tollgate.forget(r tollgate.counts, a float8[], p int, now float8) RETURNS tollgate.counts
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  e tollgate.entry;
  rest tollgate.entry[] := '{}';
  ids float8[] := '{}';
  forgotten float8[] := '{}';
  at int := p + 4;
  idle float8;
BEGIN
  FOR i IN 1 .. a[p + 1]::int LOOP
    ids := ids || a[at];
    at := at + 16 + CASE WHEN a[at + 15] > 0 THEN a[at + 15]::int + 2 ELSE 0 END;
  END LOOP;
  FOREACH e IN ARRAY r.entries LOOP
    IF (e.lim).id = ANY (ids) THEN
      idle := tollgate.idle_in(r, e.list, now);
      IF idle > 0 THEN forgotten := forgotten || ARRAY[(e.lim).id, now, now + idle]; END IF;
    ELSE
      rest := rest || e;
    END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(r.forgotten) BY 3 LOOP
    IF NOT r.forgotten[i] = ANY (forgotten) THEN forgotten := forgotten || r.forgotten[i : i + 2]; END IF;
  END LOOP;
  r.entries := rest;
  r.forgotten := forgotten;
  RETURN r;
END $$;

-- The block of a row after calls that limits denied, or charged beyond their capacity, or that a block denied.
CREATE FUNCTION tollgate.blocked(
  r tollgate.counts, k int, a float8[], calls int[], answer float8[], capacities float8[], charges boolean,
  extends boolean, now float8
) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  at int;
  p int;
  entry int := 0;
  cost float8;
  durations int;
  is_found boolean := false;
  offences int := CASE WHEN now < r.block[3] THEN r.block[2] ELSE 0 END;
  ends float8 := now;
  forgets float8 := now;
BEGIN
  IF extends THEN ends := r.block[1]; END IF;
  FOR i IN 0 .. cardinality(calls) / 4 - 1 LOOP
    p := calls[4 * i + 2];
    at := p + 4;
    FOR j IN 1 .. a[p + 1]::int LOOP
      entry := entry + 1;
      durations := a[at + 15];
      cost := a[calls[4 * i + 3] + j - 1];
      IF durations > 0 AND calls[4 * i + 1] = k THEN
        IF extends THEN
          IF a[at + 17 + durations] = 1 THEN ends := greatest(ends, now + a[at + 16]); END IF;
        ELSIF cost > 0 AND (CASE WHEN charges THEN answer[5 * entry - 3] >= capacities[entry]
          ELSE answer[5 * entry - 4] = 0 AND answer[5 * entry - 2] <> -1 END) THEN
          is_found := true;
          cost := now + a[at + 16 + least(offences, durations - 1)];
          ends := greatest(ends, cost);
          forgets := greatest(forgets, cost + a[at + 16 + durations]);
        END IF;
      END IF;
      at := at + 16 + CASE WHEN durations > 0 THEN durations + 2 ELSE 0 END;
    END LOOP;
  END LOOP;
  IF extends THEN
    IF ends > r.block[1] THEN RETURN ARRAY[ends, r.block[2], r.block[3] + ends - r.block[1]] || r.block[4 :]; END IF;
    RETURN r.block;
  END IF;
  IF is_found THEN RETURN ARRAY[ends, offences + 1, greatest(ends, forgets)]; END IF;
  RETURN r.block;
END $$;

-- Decides a batch of transactions, in order and at one moment: the server's time after the rows are locked, or `given`
-- in tests. `creates` is 0 for a batch that only reads, and 2 for one that may make rows. `names` are in order, so that
-- batches never wait for each other in a circle. A cancelled batch does nothing (`run` is not 1), nor does one that waited
-- longer than `patience` milliseconds for its rows: its callers were answered by the failure policy.
--
-- `a` begins with where the transactions begin, how many they are, and between which moments windows are known. A
-- transaction is its verb, what else it does (1: removes an idle key, 2: forgets, 3: sets a block), how many identical
-- calls it is, whether each is reported, the number of its keys, and its `calls`. The reply is that of the script for
-- Redis (`script/decode-reply.ts`).
CREATE FUNCTION tollgate.decide(
  run text, given float8, patience float8, creates int, names text[], a float8[]
) RETURNS text LANGUAGE plpgsql VOLATILE SET extra_float_digits = 1 AS $$
DECLARE
  now float8 := given;
  rows tollgate.counts[] := '{}';
  changed boolean[] := '{}';
  -- 0: no row, 1: a row, 2: a row that this batch made.
  stored int[] := '{}';
  r tollgate.counts;
  e tollgate.entry;
  o tollgate.outcome;
  tr record;
  reply float8[];
  part float8[];
  notes float8[] := '{}';
  calls int[];
  at int := a[1];
  verb int;
  way int;
  times float8;
  each boolean;
  n int;
  k int;
  p int;
  width int;
  costs float8[];
  untils float8[];
  admitted float8;
  rounds float8;
  ok boolean;
  is_denied boolean;
  may_begin boolean;
  takes boolean;
  blocker int;
  idle float8;
  kept tollgate.entry[];
  answer float8[];
  places float8[];
  capacities float8[];
BEGIN
  IF run <> '1' THEN RETURN ''; END IF;
  FOR i IN 1 .. cardinality(names) LOOP
    LOOP
      stored[i] := 1;
      changed[i] := false;
      IF creates = 0 THEN
        SELECT c.* INTO r FROM tollgate.counts c WHERE c.key = names[i];
      ELSE
        SELECT c.* INTO r FROM tollgate.counts c WHERE c.key = names[i] FOR UPDATE;
      END IF;
      EXIT WHEN FOUND;
      stored[i] := 0;
      r := ROW(names[i], NULL, 0, '{}'::tollgate.entry[], '{}'::float8[], NULL);
      EXIT WHEN creates < 2;
      INSERT INTO tollgate.counts VALUES (names[i], 0, 0, '{}', '{}', NULL) ON CONFLICT DO NOTHING;
      stored[i] := 2;
      EXIT WHEN FOUND;
    END LOOP;
    rows[i] := r;
  END LOOP;
  IF now IS NULL THEN now := (extract(epoch FROM clock_timestamp()) * 1000000)::float8; END IF;
  IF extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000 > patience THEN RETURN 'late'; END IF;
  -- The windows of the calendar are described for other times: with this one, the caller describes them again.
  IF now < a[3] OR now >= a[4] THEN RETURN now::text; END IF;
  FOR i IN 1 .. cardinality(names) LOOP
    IF stored[i] <> 1 THEN rows[i].born := now; END IF;
  END LOOP;
  reply := ARRAY[now];

  FOR number IN 1 .. a[2]::int LOOP
    verb := a[at];
    times := a[at + 2];
    each := a[at + 3] = 1;
    n := a[at + 4];
    calls := a[at + 5 : at + 4 + 4 * n]::int[];
    k := calls[1];
    p := calls[2];
    width := a[p + 1];
    part := '{}';
    places := NULL;
    admitted := 0;
    costs := a[calls[3] : calls[3] + width - 1];
    IF a[at + 1] = 1 THEN
      IF (cardinality(rows[k].entries) > 0 OR (stored[k] = 1 AND NOT changed[k]))
        AND tollgate.idle_in(rows[k], NULL, now) <= 0 THEN
        rows[k].entries := '{}';
        rows[k].block := NULL;
        changed[k] := true;
        admitted := 1;
      END IF;
    ELSIF a[at + 1] = 2 THEN
      rows[k] := tollgate.forget(rows[k], a, p, now);
      changed[k] := stored[k] > 0;
      admitted := 1;
    ELSIF a[at + 1] = 3 THEN
      -- An operator's block: 0 ends one, 1 is one that lasts, 2 one until a moment; the microseconds; the reason.
      r := rows[k];
      width := at + 5 + 4 * n;
      admitted := CASE WHEN now < r.block[1] THEN 1 ELSE 0 END;
      IF a[width] = 0 THEN
        r.block := NULL;
      ELSE
        idle := CASE WHEN a[width] = 1 THEN now + a[width + 1] ELSE a[width + 1] END;
        r.block := CASE WHEN now < r.block[3] THEN ARRAY[idle, r.block[2], greatest(idle, r.block[3])]
          ELSE ARRAY[idle, 0, idle] END || a[width + 3 : width + 2 + a[width + 2]::int];
      END IF;
      rows[k] := r;
      changed[k] := true;
      at := width + 3 + a[width + 2]::int - 5 - 4 * n;
    ELSIF verb & 8 > 0 THEN
      admitted := times;
      FOR i IN 0 .. n - 1 LOOP
        k := calls[4 * i + 1];
        p := calls[4 * i + 2];
        width := a[p + 1];
        untils := CASE WHEN calls[4 * i + 4] > 0 THEN a[calls[4 * i + 4] : calls[4 * i + 4] + width - 1] END;
        -- One refund may make a key that starts empty idle; the next then finds it as it starts.
        rounds := CASE WHEN untils IS NOT NULL OR a[p + 2] = 1 THEN times ELSE 1 END;
        FOR j IN 1 .. rounds::int LOOP
          o := tollgate.apply(rows[k], a, p, verb, a[calls[4 * i + 3] : calls[4 * i + 3] + width - 1], untils,
            a[calls[4 * i + 4] + width], times / rounds, false, false, now, ARRAY[number, i + 1]);
          IF o.changed THEN
            rows[k] := o.r;
            changed[k] := true;
          END IF;
          notes := notes || o.notes;
        END LOOP;
      END LOOP;
    ELSE
      takes := verb & 6 > 0;
      may_begin := false;
      FOR i IN 0 .. n - 1 LOOP may_begin := may_begin OR (verb & 1 > 0 AND a[calls[4 * i + 2] + 3] = 1); END LOOP;
      untils := CASE WHEN calls[4] > 0 THEN a[calls[4] : calls[4] + width - 1] END;
      is_denied := false;
      IF verb & 1 > 0 AND NOT each AND times > 1 AND n = 1 AND NOT may_begin
        AND (rows[k].block IS NULL OR now >= rows[k].block[1]) THEN
        -- Identical calls at one instant are decided at once.
        o := tollgate.apply(rows[k], a, p, verb, costs, NULL, NULL, times, false, false, now, ARRAY[number, 1]);
        IF o.changed THEN
          rows[k] := o.r;
          changed[k] := true;
        END IF;
        notes := notes || o.notes;
        admitted := o.admitted;
      END IF;
      rounds := CASE WHEN verb & 1 = 0 THEN 1 ELSE times - admitted END;
      WHILE rounds > 0 AND (NOT is_denied OR verb & 4 > 0) LOOP
        -- The block of the calls that ends last.
        blocker := NULL;
        FOR i IN 0 .. n - 1 LOOP
          IF takes AND now < rows[calls[4 * i + 1]].block[1] AND (blocker IS NULL
            OR rows[calls[4 * i + 1]].block[1] > rows[calls[4 * blocker + 1]].block[1]) THEN blocker := i; END IF;
        END LOOP;
        way := CASE WHEN blocker IS NOT NULL AND verb & 4 = 0 THEN 0 ELSE verb END;
        IF n = 1 THEN
          -- The charges after a denial never stop.
          ok := is_denied AND NOT each;
          o := tollgate.apply(rows[k], a, p, way, costs, untils, a[calls[4] + width], CASE WHEN ok THEN rounds ELSE 1 END,
            true, each OR blocker IS NOT NULL OR (may_begin AND verb & 4 > 0), now, ARRAY[number, 1]);
          IF o.changed THEN
            rows[k] := o.r;
            changed[k] := true;
          END IF;
          notes := notes || o.notes;
          EXIT WHEN ok AND NOT may_begin;
          IF ok THEN rounds := 1; END IF;
          ok := o.admitted >= 1;
          answer := o.answer;
          places := o.places;
          capacities := o.capacities;
        ELSE
          tr := tollgate.transact(rows, changed, a, calls, way,
            each OR blocker IS NOT NULL OR (may_begin AND verb & 4 > 0), now, number);
          rows := tr.rows;
          changed := tr.changed;
          notes := notes || tr.notes;
          ok := tr.ok;
          answer := tr.answer;
          places := tr.places;
          capacities := tr.capacities;
        END IF;
        rounds := rounds - 1;
        IF may_begin AND (blocker IS NOT NULL OR verb & 4 > 0 OR NOT ok) THEN
          FOR i IN 1 .. cardinality(names) LOOP
            r := rows[i];
            CONTINUE WHEN blocker IS NOT NULL AND (r.block IS NULL OR now >= r.block[1]);
            r.block := tollgate.blocked(r, i, a, calls, answer, capacities, verb & 4 > 0, blocker IS NOT NULL, now);
            IF r.block IS DISTINCT FROM rows[i].block THEN
              rows[i] := r;
              changed[i] := true;
            END IF;
          END LOOP;
        END IF;
        IF blocker IS NOT NULL THEN ok := false; END IF;
        IF each OR (NOT ok AND NOT is_denied) THEN
          way := CASE WHEN blocker IS NOT NULL THEN 1 ELSE 0 END;
          IF blocker IS NOT NULL OR may_begin THEN
            blocker := NULL;
            FOR i IN 0 .. n - 1 LOOP
              IF takes AND now < rows[calls[4 * i + 1]].block[1] AND (blocker IS NULL
                OR rows[calls[4 * i + 1]].block[1] > rows[calls[4 * blocker + 1]].block[1]) THEN blocker := i; END IF;
            END LOOP;
            IF blocker IS NOT NULL THEN
              r := rows[calls[4 * blocker + 1]];
              part := part || ARRAY[-99, r.block[1] - now, way, blocker + 1, cardinality(r.block) - 3] || r.block[4 :];
            END IF;
          END IF;
          part := part || answer;
        END IF;
        IF NOT ok THEN is_denied := true; END IF;
        IF NOT is_denied THEN admitted := admitted + 1; END IF;
      END LOOP;
      IF verb & 1 = 0 THEN admitted := admitted * times; END IF;
      IF cardinality(part) > 0 THEN part := part || places; END IF;
    END IF;
    reply := reply || admitted || part;
    at := at + 5 + 4 * n;
  END LOOP;

  FOR i IN 1 .. cardinality(names) LOOP
    IF NOT changed[i] THEN
      IF stored[i] = 2 THEN DELETE FROM tollgate.counts WHERE key = names[i]; END IF;
      CONTINUE;
    END IF;
    r := rows[i];
    idle := tollgate.idle_in(r, NULL, now);
    IF idle <= 0 THEN
      DELETE FROM tollgate.counts WHERE key = names[i];
      CONTINUE;
    END IF;
    IF cardinality(r.entries) > 1 THEN
      kept := '{}';
      FOREACH e IN ARRAY r.entries LOOP
        IF tollgate.idle_in(r, e.list, now) > 0 THEN kept := kept || e; END IF;
      END LOOP;
      r.entries := kept;
    END IF;
    IF r.block[3] <= now THEN r.block := NULL; END IF;
    UPDATE tollgate.counts SET born = r.born, expires = now + idle, entries = r.entries, forgotten = r.forgotten,
      block = r.block WHERE key = names[i];
  END LOOP;
  RETURN array_to_string(reply || notes, ',');
END $$;

-- Removes up to so many rows that are idle, without waiting for any. Returns how many.
CREATE FUNCTION tollgate.sweep(most int DEFAULT 10000) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  WITH idle AS (
    SELECT ctid FROM tollgate.counts
    WHERE expires <= extract(epoch FROM clock_timestamp()) * 1000000
    LIMIT most FOR UPDATE SKIP LOCKED
  ), removed AS (DELETE FROM tollgate.counts WHERE ctid IN (SELECT ctid FROM idle) RETURNING 1)
  SELECT count(*) FROM removed
$$;
