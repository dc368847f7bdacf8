-- Tollgate's counts in PostgreSQL 14 or later. Apply this file once, as the owner of the schema; the application needs
-- USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on tollgate.counts.
--
-- Times are whole microseconds since the epoch. All numbers are float8, so that the functions decide as the kernels of
-- the library do, to the bit; the comments there (`src/algorithms`) give the reasons.

CREATE SCHEMA tollgate;

-- A limit as a row describes it. `algorithm` is 1 for a token bucket, 2 for a sliding window, 3 for a fixed window, and
-- 4 for a limit on concurrency. `length` is the period, the window or the time to live. `refill` is the resolution of a
-- sliding window. `unit` is the ticks of a unit, the most groups, or the step of moments. A window by the calendar
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
  r tollgate.counts, changed boolean, admitted float8, answer float8[], places float8[], capacities float8[],
  notes float8[]
);

CREATE FUNCTION tollgate.inexact_ticks(l tollgate.lim, elapsed float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  periods float8 := floor(elapsed / l.period);
  rest float8 := elapsed - periods * l.period;
  whole float8 := floor(rest * l.per_us);
  fraction float8 := rest * l.per_us - whole;
  doubt float8 := l.per_period * 4.440892098500626e-16::float8;
BEGIN
  IF NOT (fraction > doubt AND fraction < 1 - doubt) THEN
    whole := div(rest::bigint::numeric * l.per_period::bigint::numeric, l.period::bigint::numeric)::float8;
  END IF;
  RETURN periods * l.per_period + whole;
END $$;

CREATE FUNCTION tollgate.inexact_us(l tollgate.lim, ticks float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  periods float8 := floor(ticks / l.per_period);
  rest numeric := (ticks - periods * l.per_period)::bigint::numeric * l.period::bigint::numeric;
BEGIN
  RETURN periods * l.period + div(rest + l.per_period::bigint::numeric - 1, l.per_period::bigint::numeric)::float8;
END $$;

-- Functions in SQL are one expression each, which the server puts in place of their calls.

-- The last tick that is not after a moment.
CREATE FUNCTION tollgate.ticks_at(l tollgate.lim, us float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN l.exact = 1 THEN (us - l.origin) * l.per_us ELSE tollgate.inexact_ticks(l, us - l.origin) END
$$;

-- Microseconds from now until this tick has come.
CREATE FUNCTION tollgate.until_us(l tollgate.lim, ticks float8, now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ticks <= tollgate.ticks_at(l, now) THEN 0 ELSE greatest(0, CASE WHEN l.exact = 1
    THEN ceil(ticks / l.per_us) ELSE tollgate.inexact_us(l, ticks) END - (now - l.origin)) END
$$;

-- Groups are pairs of cells, counted from 0: those of places have when they expire, and how many there are. The first
-- pair of a sliding window has when its newest group opened, and how many may count. The next one is a group that has
-- left, and the groups follow: when their last unit came, and the running total up to it.

-- The first group, from one on, of which a cell (1 or 2) is at least so much; the number of groups if none is.
CREATE FUNCTION tollgate.first_group(c float8[], fro int, cell int, bound float8) RETURNS int
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  upto int := cardinality(c) / 2;
  middle int;
BEGIN
  WHILE fro < upto LOOP
    middle := (fro + upto) / 2;
    IF c[2 * middle + cell] >= bound THEN upto := middle; ELSE fro := middle + 1; END IF;
  END LOOP;
  RETURN fro;
END $$;

-- The first group of a sliding window that has not left. Times are whole microseconds.
CREATE FUNCTION tollgate.first_staying(l tollgate.lim, c float8[], now float8) RETURNS int
LANGUAGE sql IMMUTABLE AS $$
  SELECT tollgate.first_group(c, 1, 1, now - l.length + 1)
$$;

-- The newest group may be without units.
CREATE FUNCTION tollgate.have_all_left(l tollgate.lim, c float8[], now float8) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT c[cardinality(c) - 1 - CASE WHEN c[cardinality(c)] = c[cardinality(c) - 2] THEN 2 ELSE 0 END] + l.length <= now
$$;

-- The cells of an idle key, or of a bucket that starts empty.
CREATE FUNCTION tollgate.new_cells(l tollgate.lim, now float8) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF l.kind = 101 THEN RETURN ARRAY[tollgate.ticks_at(l, now) + l.capacity * l.unit]; END IF;
  RETURN CASE l.algorithm
    WHEN 1 THEN ARRAY[-18014398509481984] WHEN 2 THEN ARRAY[0, l.unit, -18014398509481984, 0]
    WHEN 3 THEN ARRAY[0, 0] ELSE '{}'
  END::float8[];
END $$;

CREATE FUNCTION tollgate.used_of_groups(l tollgate.lim, c float8[], now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  sum float8 := 0;
BEGIN
  IF l.algorithm = 2 THEN
    RETURN c[cardinality(c)] - c[2 * tollgate.first_staying(l, c, now)];
  END IF;
  FOR i IN 1 .. cardinality(c) BY 2 LOOP
    IF c[i] > now THEN sum := sum + c[i + 1]; END IF;
  END LOOP;
  RETURN sum;
END $$;

CREATE FUNCTION tollgate.used(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE l.algorithm
    WHEN 1 THEN ceil(greatest(0, c[1] - tollgate.ticks_at(l, now)) / l.unit)
    WHEN 3 THEN CASE WHEN c[1] <= now THEN 0 ELSE c[2] END
    ELSE tollgate.used_of_groups(l, c, now) END
$$;

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

CREATE FUNCTION tollgate.reset_of_groups(l tollgate.lim, c float8[], now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF l.algorithm = 4 THEN
    RETURN CASE WHEN cardinality(c) = 0 THEN 0 ELSE greatest(0, c[cardinality(c) - 1] - now) END;
  END IF;
  IF tollgate.used(l, c, now) = 0 THEN RETURN 0; END IF;
  RETURN greatest(0, l.length - now + c[2 * tollgate.first_group(c, 1, 2, c[cardinality(c)]) + 1]);
END $$;

-- The time until nothing counts.
CREATE FUNCTION tollgate.reset(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE l.algorithm
    WHEN 1 THEN tollgate.until_us(l, c[1], now)
    WHEN 3 THEN CASE WHEN tollgate.used(l, c, now) = 0 THEN 0 ELSE c[1] - now END
    ELSE tollgate.reset_of_groups(l, c, now) END
$$;

-- The wait for a cost that does not fit.
CREATE FUNCTION tollgate.wait_of_groups(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  used float8 := tollgate.used(l, c, now);
  wait float8 := 0;
BEGIN
  IF l.algorithm = 3 THEN RETURN tollgate.reset(l, c, now); END IF;
  IF l.algorithm = 2 THEN
    used := c[cardinality(c)] - (l.capacity - cost);
    RETURN greatest(0, l.length - now + c[2 * tollgate.first_group(c, 1, 2, used) + 1]);
  END IF;
  FOR i IN 1 .. cardinality(c) BY 2 LOOP
    CONTINUE WHEN c[i] <= now;
    EXIT WHEN used + cost <= l.capacity;
    used := used - c[i + 1];
    wait := c[i] - now;
  END LOOP;
  RETURN wait;
END $$;

-- The wait for a cost; -1 for never.
CREATE FUNCTION tollgate.wait(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN cost > l.capacity THEN -1
    WHEN l.algorithm = 1 THEN tollgate.until_us(l, c[1] + (cost - l.capacity) * l.unit, now)
    WHEN tollgate.used(l, c, now) + cost <= l.capacity THEN 0
    ELSE tollgate.wait_of_groups(l, c, now, cost) END
$$;

-- Places of a moment are added. Without cells for one more group, the next later one has them.
CREATE FUNCTION tollgate.add_places(l tollgate.lim, c float8[], moment float8, count float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  grp int := tollgate.first_group(c, 0, 1, moment);
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
  groups int;
  newest int;
  leaving int;
  comes float8;
  joins boolean;
  is_empty boolean;
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
  IF tollgate.have_all_left(l, c, now) THEN c := tollgate.new_cells(l, now); END IF;
  newest := cardinality(c);
  groups := newest / 2 - 2;
  IF c[newest] + cost > 9007199254740991 THEN
    spare := c[2 * tollgate.first_staying(l, c, now)];
    FOR i IN 4 .. newest BY 2 LOOP c[i] := greatest(0, c[i] - spare); END LOOP;
  END IF;
  comes := greatest(now, c[newest - 1]);
  is_empty := groups > 0 AND c[newest] = c[newest - 2];
  joins := groups > 0 AND comes - c[1] < greatest(l.refill, 1);
  -- One group fewer may count once some were dropped. Those that leave for another one must have left.
  leaving := 2 + c[2] - l.unit;
  opens := NOT joins AND (is_empty OR groups < c[2] OR c[3 + 2 * leaving] + l.length <= now);
  spare := least(c[newest] + cost, 9007199254740991);
  IF opens THEN c[1] := comes; END IF;
  IF opens AND NOT is_empty THEN
    IF groups = c[2] THEN
      c := ARRAY[comes, l.unit - 1, -18014398509481984, c[4 + 2 * leaving]] || c[5 + 2 * leaving :];
    END IF;
    RETURN c || ARRAY[comes, spare];
  END IF;
  c[newest - 1] := comes;
  c[newest] := spare;
  RETURN c;
END $$;

-- Gives units back, never beyond full.
CREATE FUNCTION tollgate.give_back(l tollgate.lim, c float8[], now float8, cost float8, times float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  spare float8 := CASE WHEN l.algorithm = 1 THEN tollgate.ticks_at(l, now) ELSE tollgate.used(l, c, now) END;
  most float8;
  grp int;
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
    grp := tollgate.first_group(c, 0, 1, now + l.length);
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
  IF cost >= spare THEN RETURN CASE WHEN spare > 0 THEN tollgate.new_cells(l, now) ELSE c END; END IF;
  total := c[cardinality(c)] - cost;
  grp := tollgate.first_group(c, 1, 2, total);
  spare := c[cardinality(c) - 1];
  c[2 * grp + 2] := total;
  IF 2 * grp + 2 = cardinality(c) THEN RETURN c; END IF;
  -- A group without units keeps the newest moment.
  RETURN c[: 2 * grp + 2] || ARRAY[spare, total];
END $$;

-- Gives back units of the take that leaves at a moment, as far as they still count.
CREATE FUNCTION tollgate.correct(l tollgate.lim, c float8[], now float8, units float8, moment float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  came float8 := moment - l.length;
  newest int := cardinality(c) / 2 - 1;
  grp int;
  own float8;
  given float8;
BEGIN
  IF l.algorithm = 3 THEN
    RETURN CASE WHEN c[1] = moment THEN tollgate.give_back(l, c, now, units, 1) ELSE c END;
  END IF;
  IF now >= moment THEN RETURN c; END IF;
  IF l.algorithm = 1 THEN RETURN tollgate.give_back(l, c, now, units, 1); END IF;
  IF l.algorithm = 4 THEN
    grp := tollgate.first_group(c, 0, 1, moment);
    IF c[2 * grp + 1] IS DISTINCT FROM moment THEN RETURN c; END IF;
    IF c[2 * grp + 2] <= units THEN RETURN c[: 2 * grp] || c[2 * grp + 3 :]; END IF;
    c[2 * grp + 2] := c[2 * grp + 2] - units;
    RETURN c;
  END IF;
  -- The first group whose last unit came at that moment or later.
  grp := tollgate.first_group(c, 1, 1, came);
  IF grp > newest THEN RETURN c; END IF;
  -- Otherwise their own group is gone.
  IF c[2 * grp + 1] - came >= greatest(l.refill, 1) AND NOT (grp = newest AND c[1] <= came) THEN RETURN c; END IF;
  own := c[2 * grp + 2] - c[2 * grp];
  given := least(units, own);
  IF given = 0 THEN RETURN c; END IF;
  IF given = tollgate.used(l, c, now) THEN RETURN tollgate.new_cells(l, now); END IF;
  FOR i IN grp .. newest LOOP c[2 * i + 2] := c[2 * i + 2] - given; END LOOP;
  -- A group without units goes, unless it is the newest, which keeps its opening time.
  IF grp = newest OR given < own THEN RETURN c; END IF;
  RETURN c[: 2 * grp] || c[2 * grp + 3 :];
END $$;

-- The cells of a key that has used as much as the same limit with other numbers says.
CREATE FUNCTION tollgate.adopt(l tollgate.lim, now float8, f tollgate.lim, theirs float8[]) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  c float8[] := tollgate.new_cells(l, now);
  used float8;
  units float8;
  rest float8;
  first int;
  newest int := cardinality(theirs) / 2 - 1;
  is_fit boolean;
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
  first := tollgate.first_staying(f, theirs, now);
  used := theirs[2 * first];
  is_fit := greatest(f.refill, 1) = greatest(l.refill, 1);
  IF is_fit AND tollgate.have_all_left(f, theirs, now) THEN RETURN c; END IF;
  is_fit := is_fit AND newest - first < l.unit;
  IF is_fit THEN c[1] := theirs[1]; END IF;
  FOR i IN first .. newest LOOP
    rest := theirs[2 * i + 2];
    IF is_fit THEN
      c := c || ARRAY[theirs[2 * i + 1], rest - theirs[2 * first]];
    ELSIF rest > used THEN
      c := tollgate.take(l, c, theirs[2 * i + 1], rest - used);
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

-- The limits of the plan in `a` from `p` on. A plan is whether the first numbers are kept, the number of limits,
-- whether one starts empty, whether one blocks keys, and for each limit 16 numbers: its description, whether it
-- enforces, and how far from `p` its blocks are described, or 0. There are the number of durations, these, when offences
-- are forgotten, and whether blocks are extended.
CREATE FUNCTION tollgate.limits_at(a float8[], p int) RETURNS tollgate.lim[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  limits tollgate.lim[];
  j int := p + 4;
BEGIN
  FOR i IN 1 .. a[p + 1]::int LOOP
    limits[i] := ROW(a[j], a[j + 1], a[j + 2], a[j + 3], a[j + 4], a[j + 5], a[j + 6], a[j + 7], a[j + 8], a[j + 9],
      a[j + 10], a[j + 11], a[j + 12], a[j + 13])::tollgate.lim;
    j := j + 16;
  END LOOP;
  RETURN limits;
END $$;

-- Applies a verb to one row. The verb is what it changes (1), whether it decides (2), charges (4), refunds (8) or
-- renews (16). `limits` are those of the plan in `a` at `p`. The costs are there as well, or all 0 without a place, and
-- so is the receipt: until when each limit counts, and the moment. Without `force` as many of `times` identical calls
-- are made as conform. Notes of limits that are counted under other numbers begin with `place`.
CREATE FUNCTION tollgate.apply(
  r tollgate.counts, limits tollgate.lim[], a float8[], p int, verb int, costs int, receipt int, times float8,
  force boolean, wanted boolean, now float8, place float8[]
) RETURNS tollgate.outcome LANGUAGE plpgsql STABLE AS $$
DECLARE
  o tollgate.outcome;
  n int := a[p + 1];
  changes boolean := verb & 1 > 0;
  l tollgate.lim;
  e tollgate.entry;
  own tollgate.entry[];
  found tollgate.entry[] := '{}';
  conforms float8[] := '{}';
  ids float8[];
  hits int := 0;
  list float8;
  is_own_list boolean := true;
  is_new boolean := true;
  is_moved boolean := false;
  starts_empty boolean := false;
  starts_anew boolean := false;
  matters boolean := a[p] = 1;
  keeps boolean := false;
  idle float8 := 0;
  cost float8;
  units float8;
  at int;
BEGIN
  o.changed := false;
  FOR i IN 1 .. n LOOP
    l := limits[i];
    ids[i] := l.id;
    FOREACH e IN ARRAY r.entries LOOP
      CONTINUE WHEN (e.lim).id <> l.id;
      -- The starts of windows by the calendar are those that the call knows.
      IF l.kind = 100 THEN
        e.lim := ROW(l.id, 100, 3, (e.lim).capacity, 0, 0, 0, l.unit, l.per_us, l.per_period, l.period, 0, 0,
          0)::tollgate.lim;
      END IF;
      found[i] := e;
      hits := hits + 1;
      matters := matters OR e.lim <> l;
    END LOOP;
  END LOOP;
  -- Whether the entries of the plan are those of its list alone.
  FOREACH e IN ARRAY r.entries LOOP
    list := greatest(list, e.list);
    IF hits > 0 THEN
      is_own_list := is_own_list AND hits = n AND (e.list = (found[1]).list) = ((e.lim).id = ANY (ids));
    END IF;
  END LOOP;
  matters := matters OR NOT is_own_list;
  FOR i IN 1 .. n LOOP
    l := limits[i];
    e := found[i];
    -- An idle limit is as a new one, unless it starts empty, or other numbers or limits were counted with it.
    IF e.list IS NULL OR (matters AND tollgate.idle_in(r, e.list, now) <= 0) THEN
      e := ROW(l, coalesce((found[1]).list, 0), tollgate.new_cells(l, now))::tollgate.entry;
    ELSE
      is_new := false;
      IF e.lim <> l THEN
        o.notes := o.notes || place
          || ARRAY[i, CASE WHEN changes AND a[p] = 0 THEN 1 ELSE 0 END, (e.lim).kind, (e.lim).capacity]
          || CASE WHEN (e.lim).kind <> 100 THEN ARRAY[(e.lim).length] END
          || CASE WHEN (e.lim).kind IN (101, 114, 115) THEN ARRAY[(e.lim).refill] END
          || CASE WHEN (e.lim).kind = 101 THEN ARRAY[(e.lim).idle] END;
        IF a[p] = 0 THEN
          e.cells := tollgate.adopt(l, now, e.lim, e.cells);
          e.lim := l;
          is_moved := true;
        END IF;
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
      cost := coalesce(a[costs + i - 1], 0);
      CONTINUE WHEN cost = 0;
      e := own[i];
      IF receipt = 0 THEN
        own[i].cells := tollgate.give_back(e.lim, e.cells, now, cost, times);
        keeps := keeps OR NOT is_new;
      ELSIF NOT is_new AND tollgate.remembers(r, (e.lim).id, a[receipt + n]) THEN
        -- A new key has nothing of what was taken.
        own[i].cells := tollgate.correct(e.lim, e.cells, now, cost, a[receipt + i - 1]);
        keeps := true;
      END IF;
    END LOOP;
    keeps := keeps OR (receipt = 0 AND is_new AND starts_empty);
  ELSIF verb & 16 > 0 THEN
    FOR i IN 1 .. n LOOP
      conforms[i] := 1;
      cost := coalesce(a[costs + i - 1], 0);
      CONTINUE WHEN cost = 0;
      e := own[i];
      units := CASE WHEN receipt > 0 THEN a[receipt + i - 1] END;
      at := tollgate.first_group(e.cells, 0, 1, units);
      IF (e.lim).algorithm = 4 AND units > now AND tollgate.remembers(r, (e.lim).id, a[receipt + n])
        AND e.cells[2 * at + 1] = units AND e.cells[2 * at + 2] >= cost THEN
        own[i].cells := tollgate.take(e.lim, tollgate.correct(e.lim, e.cells, now, cost, units), now, cost);
        keeps := true;
      ELSE
        conforms[i] := 0;
        o.admitted := 0;
      END IF;
    END LOOP;
    costs := NULL;
    keeps := keeps OR (is_new AND starts_empty);
  ELSE
    FOR i IN 1 .. n LOOP
      e := own[i];
      units := tollgate.fits(e.lim, e.cells, now, coalesce(a[costs + i - 1], 0), times);
      conforms[i] := CASE WHEN units > 0 THEN 1 ELSE 0 END;
      IF a[p + 2 + 16 * i] = 1 THEN o.admitted := least(o.admitted, units); END IF;
    END LOOP;
    IF verb & 4 > 0 OR (verb & 2 > 0 AND o.admitted > 0) THEN
      FOR i IN 1 .. n LOOP
        e := own[i];
        cost := coalesce(a[costs + i - 1], 0);
        units := CASE WHEN force THEN times ELSE o.admitted END;
        IF verb & 4 = 0 AND a[p + 2 + 16 * i] = 0 THEN units := tollgate.fits(e.lim, e.cells, now, cost, units); END IF;
        CONTINUE WHEN units = 0 OR cost = 0;
        own[i].cells := tollgate.take(e.lim, e.cells, now, units * cost);
        keeps := keeps OR changes;
      END LOOP;
    END IF;
    keeps := keeps OR (changes AND is_new AND starts_empty);
  END IF;

  wanted := wanted OR o.admitted < times;
  o.answer := conforms;
  IF wanted THEN o.answer := '{}'; END IF;
  FOR i IN 1 .. n LOOP
    e := own[i];
    IF a[p + 3] = 1 THEN o.capacities := o.capacities || (e.lim).capacity; END IF;
    IF (e.lim).algorithm = 4 THEN
      at := tollgate.first_group(e.cells, 0, 1, ceil((now + (e.lim).length) / (e.lim).unit) * (e.lim).unit);
      o.places := o.places || coalesce(e.cells[2 * at + 1], 0);
    END IF;
    IF wanted THEN
      cost := tollgate.wait(e.lim, e.cells, now, coalesce(a[costs + i - 1], 0));
      o.answer := o.answer || ARRAY[conforms[i], tollgate.used(e.lim, e.cells, now), cost,
        CASE WHEN cost = -1 THEN 0 ELSE tollgate.used(e.lim, e.cells, now + cost) END,
        tollgate.reset(e.lim, e.cells, now)];
    END IF;
  END LOOP;
  IF keeps THEN
    IF hits = 0 OR NOT is_own_list OR cardinality(r.entries) > n THEN
      FOR i IN 1 .. n LOOP own[i].list := coalesce(list, 0) + 1; END LOOP;
      FOREACH e IN ARRAY r.entries LOOP
        IF NOT (e.lim).id = ANY (ids) THEN own := own || e; END IF;
      END LOOP;
    END IF;
    r.entries := own;
    o.r := r;
    o.changed := true;
  END IF;
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

-- Removes what counts under a plan. Decisions that took some of it are told from later ones by the moment.
CREATE FUNCTION tollgate.forget(r tollgate.counts, limits tollgate.lim[], now float8) RETURNS tollgate.counts
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  e tollgate.entry;
  rest tollgate.entry[] := '{}';
  forgotten float8[] := '{}';
  idle float8;
BEGIN
  FOREACH e IN ARRAY r.entries LOOP
    IF (e.lim).id IN (SELECT id FROM unnest(limits)) THEN
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

-- The call of a transaction whose row is blocked for the longest time, from 0. The calls are at `first` in `a`.
CREATE FUNCTION tollgate.blocker(rows tollgate.counts[], a float8[], first int, n int, now float8) RETURNS int
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ends float8 := now;
  found int;
BEGIN
  FOR i IN 0 .. n - 1 LOOP
    IF (rows[a[first + 4 * i]]).block[1] > ends THEN
      found := i;
      ends := (rows[a[first + 4 * i]]).block[1];
    END IF;
  END LOOP;
  RETURN found;
END $$;

-- The block of a row after calls that limits denied, or charged beyond their capacity, or that a block denied.
CREATE FUNCTION tollgate.blocked(
  r tollgate.counts, k int, a float8[], first int, n int, answer float8[], capacities float8[], charges boolean,
  extends boolean, now float8
) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  at int;
  entry int := 0;
  cost float8;
  durations int;
  is_found boolean := false;
  offences int := CASE WHEN now < r.block[3] THEN r.block[2] ELSE 0 END;
  ends float8 := now;
  forgets float8 := now;
BEGIN
  IF extends THEN ends := r.block[1]; END IF;
  FOR i IN 0 .. n - 1 LOOP
    FOR j IN 1 .. a[a[first + 4 * i + 1] + 1]::int LOOP
      entry := entry + 1;
      at := a[a[first + 4 * i + 1] + 3 + 16 * j];
      CONTINUE WHEN at = 0 OR a[first + 4 * i] <> k;
      at := at + a[first + 4 * i + 1];
      durations := a[at];
      cost := a[a[first + 4 * i + 2] + j - 1];
      IF extends THEN
        IF a[at + durations + 2] = 1 THEN ends := greatest(ends, now + a[at + 1]); END IF;
      ELSIF cost > 0 AND (CASE WHEN charges THEN answer[5 * entry - 3] >= capacities[entry]
        ELSE answer[5 * entry - 4] = 0 AND answer[5 * entry - 2] <> -1 END) THEN
        is_found := true;
        cost := now + a[at + 1 + least(offences, durations - 1)];
        ends := greatest(ends, cost);
        forgets := greatest(forgets, cost + a[at + durations + 1]);
      END IF;
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
-- in tests. `locks` is 0 for a batch that only reads.
--
-- `names` are in order, so that batches never wait for each other in a circle: rows that exist are locked first, and
-- new ones are made at the end. They are made whole, because rows that grow leave their page. The answer is 'again' if
-- another batch has made one meanwhile. A plan made while the table is small must not read all of it when it has grown.
--
-- A cancelled batch does nothing (`run` is not 1), nor does one that waited longer than `patience` milliseconds for its
-- rows: its callers were answered by the failure policy.
--
-- `a` begins with where the transactions begin, how many they are, and between which moments windows are known. A
-- transaction is its verb, what else it does (1: removes an idle key, 2: forgets, 3: sets a block), how many identical
-- calls it is, whether each is reported, the number of its keys, and for each key its row, its plan in `a`, its costs
-- there, and its receipt there or 0. All or nothing: of two calls for one key each may conform alone, but not both. The
-- reply is that of the script for Redis (`script/decode-reply.ts`).
CREATE FUNCTION tollgate.decide(
  run text, given float8, patience float8, locks int, names text[], a float8[]
) RETURNS text LANGUAGE plpgsql VOLATILE SET extra_float_digits = 1 SET enable_seqscan = off AS $$
DECLARE
  now float8 := given;
  rows tollgate.counts[] := '{}';
  stored boolean[];
  changed boolean[];
  made text[] := '{}';
  saved tollgate.counts[];
  were boolean[];
  r tollgate.counts;
  e tollgate.entry;
  o tollgate.outcome;
  limits tollgate.lim[];
  limits_of int;
  replies text[] := '{}';
  part float8[];
  notes float8[] := '{}';
  at int := a[1];
  first int;
  verb int;
  way int;
  times float8;
  each boolean;
  n int;
  c int;
  k int;
  p int;
  admitted float8;
  rest float8;
  share float8;
  ok boolean;
  is_denied boolean;
  has_block boolean := false;
  by_one boolean;
  at_once boolean;
  may_begin boolean;
  wanted boolean;
  blocker int;
  idle float8;
  kept tollgate.entry[];
  pass text;
  passes text[];
  answer float8[];
  places float8[];
  capacities float8[];
BEGIN
  IF run <> '1' THEN RETURN ''; END IF;
  FOR i IN 1 .. cardinality(names) LOOP
    IF locks = 0 THEN
      SELECT t.* INTO r FROM tollgate.counts t WHERE t.key = names[i];
    ELSE
      SELECT t.* INTO r FROM tollgate.counts t WHERE t.key = names[i] FOR UPDATE;
    END IF;
    stored[i] := FOUND;
    changed[i] := false;
    IF NOT FOUND THEN r := ROW(names[i], 0, 0, '{}'::tollgate.entry[], '{}'::float8[], NULL::float8[]); END IF;
    rows[i] := r;
    has_block := has_block OR r.block IS NOT NULL;
  END LOOP;
  IF now IS NULL THEN now := (extract(epoch FROM clock_timestamp()) * 1000000)::float8; END IF;
  IF extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000 > patience THEN RETURN 'late'; END IF;
  -- The windows of the calendar are described for other times: with this one, the caller describes them again.
  IF now < a[3] OR now >= a[4] THEN RETURN now::text; END IF;
  FOR i IN 1 .. cardinality(names) LOOP
    IF NOT stored[i] THEN rows[i].born := now; END IF;
  END LOOP;

  FOR number IN 1 .. a[2]::int LOOP
    verb := a[at];
    way := a[at + 1];
    times := a[at + 2];
    each := a[at + 3] = 1;
    n := a[at + 4];
    first := at + 5;
    at := first + 4 * n;
    k := a[first];
    p := a[first + 1];
    IF p IS DISTINCT FROM limits_of THEN
      limits := tollgate.limits_at(a, p);
      limits_of := p;
    END IF;
    part := '{}';
    places := NULL;
    admitted := 0;
    IF way = 1 THEN
      IF (cardinality(rows[k].entries) > 0 OR (stored[k] AND NOT changed[k]))
        AND tollgate.idle_in(rows[k], NULL, now) <= 0 THEN
        rows[k].entries := '{}';
        rows[k].block := NULL;
        changed[k] := true;
        admitted := 1;
      END IF;
    ELSIF way = 2 THEN
      rows[k] := tollgate.forget(rows[k], limits, now);
      changed[k] := true;
      admitted := 1;
    ELSIF way = 3 THEN
      -- An operator's block: 0 ends one, 1 is one that lasts, 2 one until a moment; the microseconds; the reason.
      r := rows[k];
      admitted := CASE WHEN now < r.block[1] THEN 1 ELSE 0 END;
      IF a[at] = 0 THEN
        r.block := NULL;
      ELSE
        idle := CASE WHEN a[at] = 1 THEN now + a[at + 1] ELSE a[at + 1] END;
        r.block := CASE WHEN now < r.block[3] THEN ARRAY[idle, r.block[2], greatest(idle, r.block[3])]
          ELSE ARRAY[idle, 0, idle] END || a[at + 3 : at + 2 + a[at + 2]::int];
        has_block := true;
      END IF;
      rows[k] := r;
      changed[k] := true;
      at := at + 3 + a[at + 2]::int;
    ELSE
      may_begin := false;
      by_one := false;
      FOR i IN 0 .. n - 1 LOOP
        may_begin := may_begin OR (verb & 9 = 1 AND a[a[first + 4 * i + 1] + 3] = 1);
        -- One refund may make a key that starts empty idle; the next then finds it as it starts.
        by_one := by_one OR a[first + 4 * i + 3] > 0 OR a[a[first + 4 * i + 1] + 2] = 1;
      END LOOP;
      passes := CASE WHEN n = 1 THEN '{decide}' ELSE '{move,decide,touch,explain}' END;
      is_denied := false;
      -- Identical calls at one instant are decided at once.
      at_once := verb & 25 = 1 AND NOT each AND times > 1 AND n = 1 AND NOT may_begin
        AND (NOT has_block OR tollgate.blocker(rows, a, first, n, now) IS NULL);
      rest := CASE WHEN verb & 1 = 0 THEN 1 ELSE times END;
      WHILE rest > 0 AND (NOT is_denied OR verb & 12 > 0) LOOP
        blocker := NULL;
        IF has_block AND verb & 6 > 0 THEN blocker := tollgate.blocker(rows, a, first, n, now); END IF;
        way := CASE WHEN blocker IS NOT NULL AND verb & 4 = 0 THEN 0 ELSE verb END;
        wanted := each OR blocker IS NOT NULL OR (may_begin AND verb & 4 > 0) OR way & 10 = 0;
        -- The charges after a denial never stop.
        share := CASE WHEN at_once OR (verb & 8 > 0 AND NOT by_one) OR (n = 1 AND is_denied AND NOT each) THEN rest
          ELSE 1 END;
        ok := true;
        -- With several keys, counts under other numbers move even if the call is denied. A bucket that starts empty
        -- starts to fill with its first call, even a denied one. A denial shows all keys as they are.
        FOREACH pass IN ARRAY passes LOOP
          CONTINUE WHEN pass IN ('move', 'touch') AND way & 1 = 0;
          EXIT WHEN pass IN ('touch', 'explain') AND (ok OR way & 2 = 0);
          IF n > 1 AND pass = 'decide' THEN
            saved := rows;
            were := changed;
          END IF;
          answer := '{}';
          places := NULL;
          capacities := NULL;
          FOR i IN 0 .. n - 1 LOOP
            c := first + 4 * i;
            k := a[c];
            p := a[c + 1];
            CONTINUE WHEN pass = 'touch' AND a[p + 2] = 0;
            IF p <> limits_of THEN
              limits := tollgate.limits_at(a, p);
              limits_of := p;
            END IF;
            o := tollgate.apply(rows[k], limits, a, p, CASE pass WHEN 'explain' THEN 0 WHEN 'move' THEN 1 ELSE way END,
              CASE WHEN pass IN ('decide', 'explain') THEN a[c + 2]::int END, a[c + 3]::int, share, NOT at_once,
              wanted OR pass = 'explain', now, ARRAY[number, i + 1]);
            IF o.changed THEN
              rows[k] := o.r;
              changed[k] := true;
            END IF;
            notes := notes || o.notes;
            answer := answer || o.answer;
            places := places || o.places;
            capacities := capacities || o.capacities;
            IF pass = 'decide' AND o.admitted < 1 THEN
              ok := false;
              IF n > 1 AND way & 3 = 3 THEN
                rows := saved;
                changed := were;
                EXIT;
              END IF;
            END IF;
          END LOOP;
        END LOOP;
        IF at_once THEN
          at_once := false;
          admitted := o.admitted;
          rest := rest - admitted;
          CONTINUE;
        END IF;
        rest := rest - share;
        IF may_begin AND (blocker IS NOT NULL OR verb & 4 > 0 OR NOT ok) THEN
          FOR i IN 1 .. cardinality(names) LOOP
            r := rows[i];
            CONTINUE WHEN blocker IS NOT NULL AND (r.block IS NULL OR now >= r.block[1]);
            r.block := tollgate.blocked(r, i, a, first, n, answer, capacities, verb & 4 > 0, blocker IS NOT NULL, now);
            IF r.block IS DISTINCT FROM rows[i].block THEN
              rows[i] := r;
              changed[i] := true;
              has_block := true;
            END IF;
          END LOOP;
        END IF;
        IF blocker IS NOT NULL THEN ok := false; END IF;
        IF verb & 8 = 0 AND (each OR (NOT ok AND NOT is_denied)) THEN
          way := CASE WHEN blocker IS NOT NULL THEN 1 ELSE 0 END;
          IF has_block AND verb & 6 > 0 THEN
            blocker := tollgate.blocker(rows, a, first, n, now);
            IF blocker IS NOT NULL THEN
              r := rows[a[first + 4 * blocker]];
              part := part || ARRAY[-99, r.block[1] - now, way, blocker + 1, cardinality(r.block) - 3] || r.block[4 :];
            END IF;
          END IF;
          part := part || answer;
        END IF;
        IF NOT ok THEN is_denied := true; END IF;
        IF NOT is_denied THEN admitted := admitted + 1; END IF;
      END LOOP;
      IF verb & 1 = 0 THEN admitted := admitted * times; END IF;
      IF verb & 8 > 0 THEN admitted := times; END IF;
      IF cardinality(part) > 0 THEN part := part || places; END IF;
    END IF;
    replies[number] := array_to_string(admitted || part, ',');
  END LOOP;

  FOR i IN 1 .. cardinality(names) LOOP
    CONTINUE WHEN NOT changed[i];
    r := rows[i];
    idle := tollgate.idle_in(r, NULL, now);
    IF cardinality(r.entries) > 1 THEN
      kept := '{}';
      FOREACH e IN ARRAY r.entries LOOP
        IF tollgate.idle_in(r, e.list, now) > 0 THEN kept := kept || e; END IF;
      END LOOP;
      r.entries := kept;
    END IF;
    IF r.block[3] <= now THEN r.block := NULL; END IF;
    r.expires := CASE WHEN idle > 0 THEN now + idle END;
    rows[i] := r;
    CONTINUE WHEN stored[i] OR idle <= 0;
    INSERT INTO tollgate.counts VALUES (r.*) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      DELETE FROM tollgate.counts WHERE key = ANY (made);
      RETURN 'again';
    END IF;
    made := made || r.key;
  END LOOP;
  FOR i IN 1 .. cardinality(names) LOOP
    CONTINUE WHEN NOT changed[i] OR NOT stored[i];
    r := rows[i];
    IF r.expires IS NULL THEN
      DELETE FROM tollgate.counts WHERE key = r.key;
    ELSE
      UPDATE tollgate.counts SET born = r.born, expires = r.expires, entries = r.entries, forgotten = r.forgotten,
        block = r.block WHERE key = r.key;
    END IF;
  END LOOP;
  RETURN array_to_string(now::text || replies || notes::text[], ',');
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
