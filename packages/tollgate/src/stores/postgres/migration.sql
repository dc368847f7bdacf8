-- Tollgate's counts in PostgreSQL 14 or later. Apply this file once, as the owner of the schema; the application needs
-- USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on tollgate.counts.
--
-- Times are whole microseconds since the epoch. All numbers are float8, so that the functions decide as the kernels of
-- the library do, to the bit; the comments there (`src/algorithms`) give the reasons.

CREATE SCHEMA tollgate;

-- A limit as a row describes it. `algorithm` is 1 for a token bucket, 2 for a sliding window, 3 for a fixed window, and
-- 4 for a limit on concurrency. `length` is the period, the window or the time to live. `refill` is the resolution of a
-- sliding window. `unit` is the ticks of a unit, or the most groups, and `per_us` the ticks of a microsecond, the
-- resolution of at least 1, or the step of moments. A window by the calendar has four starts of windows from `unit` to
-- `period`.
CREATE TYPE tollgate.lim AS (
  id float8, kind float8, algorithm float8, capacity float8, length float8, refill float8, idle float8,
  unit float8, per_us float8, per_period float8, period float8, exact float8, origin float8, most_debt float8
);

-- What counts under one limit. The limits of the list that counted last are one list, and are idle together. Decisions
-- made before `born` correct nothing: a reset, or the end of an idle entry, came between.
CREATE TYPE tollgate.entry AS (lim tollgate.lim, list float8, born float8, cells float8[]);

-- A key with all its counts. `block` has its end, the offences, when they are forgotten, and the reason. Rows change in
-- place: no index on changing columns ends HOT updates, and half of each page is free for them.
CREATE UNLOGGED TABLE tollgate.counts (
  key text COLLATE "C" PRIMARY KEY,
  expires float8 NOT NULL,
  entries tollgate.entry[] NOT NULL,
  block float8[]
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- What one call did to one row.
CREATE TYPE tollgate.outcome AS (
  r tollgate.counts, admitted float8, answer float8[], places float8[], capacities float8[], notes float8[]
);

-- `x * factor / divisor`, rounded down exactly, also below zero, where `div` alone would round up.
CREATE FUNCTION tollgate.scaled(x float8, factor float8, divisor float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  whole float8 := floor(x / divisor);
  rest float8 := x - whole * divisor;
BEGIN
  RETURN whole * factor + div(rest::bigint::numeric * factor::bigint, divisor::bigint)::float8;
END $$;

-- Functions in SQL are one expression each, which the server puts in place of their calls.

-- The last tick that is not after a moment.
CREATE FUNCTION tollgate.ticks_at(l tollgate.lim, us float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN l.exact = 1 THEN (us - l.origin) * l.per_us
    ELSE tollgate.scaled(us - l.origin, l.per_period, l.period) END
$$;

-- Microseconds from now until this tick has come.
CREATE FUNCTION tollgate.until_us(l tollgate.lim, ticks float8, now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ticks <= tollgate.ticks_at(l, now) THEN 0 ELSE greatest(0, CASE WHEN l.exact = 1
    THEN ceil(ticks / l.per_us) ELSE -tollgate.scaled(-ticks, l.period, l.per_period) END - (now - l.origin)) END
$$;

-- Fixed windows, sliding windows and limits on concurrency count in groups of units that leave together. Their cells
-- are pairs: when the newest group opened and how many units of the total have left, then for each group when it
-- leaves, and the running total up to it. Groups are counted from 1, and times are whole microseconds.

-- The first group of which a cell (1 or 2) is at least so much; one more than there are if none is.
CREATE FUNCTION tollgate.first_group(c float8[], cell int, bound float8) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  fro int := 1;
  upto int := cardinality(c) / 2;
  middle int;
BEGIN
  WHILE fro < upto LOOP
    middle := (fro + upto) / 2;
    IF c[2 * middle + cell] >= bound THEN upto := middle; ELSE fro := middle + 1; END IF;
  END LOOP;
  RETURN fro;
END $$;

-- The first group that has not left. Most rows have none that has.
CREATE FUNCTION tollgate.first_staying(c float8[], now float8) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN c[3] > now THEN 1 ELSE tollgate.first_group(c, 1, now + 1) END
$$;

-- The cells of an idle key, or of a bucket that starts empty.
CREATE FUNCTION tollgate.new_cells(l tollgate.lim, now float8) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN l.kind = 101 THEN ARRAY[tollgate.ticks_at(l, now) + l.capacity * l.unit]
    WHEN l.algorithm = 1 THEN ARRAY[-18014398509481984::float8] ELSE ARRAY[-18014398509481984::float8, 0] END
$$;

CREATE FUNCTION tollgate.used(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN l.algorithm = 1 THEN ceil(greatest(0, c[1] - tollgate.ticks_at(l, now)) / l.unit)
    ELSE c[cardinality(c)] - c[2 * tollgate.first_staying(c, now)] END
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

-- The time until nothing counts. The newest group may be without units.
CREATE FUNCTION tollgate.reset(l tollgate.lim, c float8[], now float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN l.algorithm = 1 THEN tollgate.until_us(l, c[1], now)
    WHEN tollgate.used(l, c, now) = 0 THEN 0
    ELSE c[cardinality(c) - CASE WHEN c[cardinality(c)] = c[cardinality(c) - 2] THEN 3 ELSE 1 END] - now END
$$;

-- The wait for a cost; -1 for never.
CREATE FUNCTION tollgate.wait(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN cost > l.capacity THEN -1
    WHEN l.algorithm = 1 THEN tollgate.until_us(l, c[1] + (cost - l.capacity) * l.unit, now)
    WHEN tollgate.used(l, c, now) + cost <= l.capacity THEN 0
    ELSE c[2 * tollgate.first_group(c, 2, c[cardinality(c)] - (l.capacity - cost)) + 1] - now END
$$;

-- Adds units that leave at a moment. Those of a sliding window join the newest group if it opened less than the
-- resolution ago, those of a fixed window the only one, and places the group of that moment. Without capacity for one
-- more group, the next later one gets them.
CREATE FUNCTION tollgate.add_units(l tollgate.lim, c float8[], moment float8, units float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  newest int := cardinality(c) / 2 - 1;
  joins boolean := CASE l.algorithm WHEN 2 THEN moment - l.length - c[1] < l.per_us WHEN 3 THEN newest > 0 END;
  grp int;
BEGIN
  -- The next group of a sliding window takes the place of one without units.
  IF l.algorithm = 2 AND NOT joins AND c[2 * newest + 2] = c[2 * newest] THEN
    c := c[: 2 * newest];
    newest := newest - 1;
  END IF;
  grp := CASE WHEN l.algorithm = 4 THEN tollgate.first_group(c, 1, moment) ELSE newest + 1 END;
  IF grp > newest AND (joins OR newest = l.unit) THEN
    grp := newest;
    c[2 * grp + 1] := moment;
  ELSIF grp > newest OR (newest < l.unit AND c[2 * grp + 1] > moment) THEN
    c := c[: 2 * grp] || ARRAY[moment, c[2 * grp]] || c[2 * grp + 1 :];
    c[1] := moment - l.length;
  END IF;
  FOR i IN grp .. cardinality(c) / 2 - 1 LOOP c[2 * i + 2] := least(c[2 * i + 2] + units, 9007199254740991); END LOOP;
  RETURN c;
END $$;

-- Removes units of a group. One without units goes, unless it is the newest of a sliding window, which keeps its times.
CREATE FUNCTION tollgate.remove_units(l tollgate.lim, c float8[], grp int, units float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR i IN grp .. cardinality(c) / 2 - 1 LOOP c[2 * i + 2] := c[2 * i + 2] - units; END LOOP;
  IF c[2 * grp + 2] = c[2 * grp] AND (l.algorithm <> 2 OR 2 * grp + 2 < cardinality(c)) THEN
    RETURN c[: 2 * grp] || c[2 * grp + 3 :];
  END IF;
  RETURN c;
END $$;

CREATE FUNCTION tollgate.take(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ticks float8;
  first int;
BEGIN
  IF l.algorithm = 1 THEN
    ticks := tollgate.ticks_at(l, now);
    c[1] := greatest(c[1], least(greatest(c[1], ticks) + cost * l.unit, ticks + l.most_debt));
    RETURN c;
  END IF;
  -- Groups that have left are only a total to subtract.
  first := tollgate.first_staying(c, now);
  IF c[cardinality(c)] = c[2 * first] THEN
    c := tollgate.new_cells(l, now);
  ELSIF first > 1 THEN
    c := ARRAY[c[1], c[2 * first]] || c[2 * first + 1 :];
  END IF;
  IF c[cardinality(c)] + cost > 9007199254740991 THEN
    FOR i IN REVERSE cardinality(c) / 2 .. 1 LOOP c[2 * i] := c[2 * i] - c[2]; END LOOP;
  END IF;
  RETURN tollgate.add_units(l, c, CASE
    WHEN l.algorithm = 2 THEN greatest(now + l.length, c[cardinality(c) - 1])
    WHEN l.algorithm = 4 THEN ceil((now + l.length) / l.per_us) * l.per_us
    WHEN cardinality(c) > 2 THEN c[3]
    WHEN l.kind = 99 THEN (floor(now / l.length) + 1) * l.length
    WHEN l.kind = 102 THEN now + l.length
    WHEN now < l.unit THEN l.unit WHEN now < l.per_us THEN l.per_us
    WHEN now < l.per_period THEN l.per_period ELSE l.period END, cost);
END $$;

-- Gives units back, never beyond full: the newest ones, or places that were taken at this moment or later.
CREATE FUNCTION tollgate.give_back(l tollgate.lim, c float8[], now float8, cost float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ticks float8;
  units float8;
  grp int := CASE WHEN l.algorithm = 4 THEN tollgate.first_group(c, 1, now + l.length) ELSE cardinality(c) / 2 - 1 END;
BEGIN
  IF l.algorithm = 1 THEN
    ticks := tollgate.ticks_at(l, now);
    IF c[1] > ticks THEN c[1] := greatest(c[1] - cost * l.unit, ticks); END IF;
    RETURN c;
  END IF;
  cost := least(cost, tollgate.used(l, c, now));
  WHILE cost > 0 AND 2 * grp + 2 <= cardinality(c) LOOP
    units := least(cost, c[2 * grp + 2] - c[2 * grp]);
    c := tollgate.remove_units(l, c, grp, units);
    cost := cost - units;
    IF l.algorithm <> 4 THEN grp := grp - 1; END IF;
  END LOOP;
  RETURN c;
END $$;

-- Gives back units of the take that leaves at a moment, as far as they still count. They are in the first group that
-- leaves no sooner, unless their own group is gone: then that one is of another moment.
CREATE FUNCTION tollgate.correct(l tollgate.lim, c float8[], now float8, units float8, moment float8) RETURNS float8[]
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  grp int := tollgate.first_group(c, 1, moment);
  is_newest boolean := 2 * grp + 2 = cardinality(c);
BEGIN
  IF now >= moment THEN RETURN c; END IF;
  IF l.algorithm = 1 THEN RETURN tollgate.give_back(l, c, now, units); END IF;
  IF c[2 * grp + 1] - moment < (CASE WHEN l.algorithm = 2 THEN l.per_us ELSE 1 END)
    OR (l.algorithm = 2 AND is_newest AND c[1] <= moment - l.length) THEN
    RETURN tollgate.remove_units(l, c, grp, least(units, c[2 * grp + 2] - c[2 * grp]));
  END IF;
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
  first int;
  newest int := cardinality(theirs) / 2 - 1;
BEGIN
  IF l.algorithm = 1 THEN
    used := greatest(0, theirs[1] - tollgate.ticks_at(f, now));
    rest := (used::bigint % f.unit::bigint)::float8;
    units := (used - rest) / f.unit * l.unit
      + CASE WHEN rest > 0 THEN least(floor(rest / f.unit * l.unit) + 2, l.unit) ELSE 0 END;
    IF units = 0 THEN RETURN ARRAY[-18014398509481984::float8]; END IF;
    RETURN ARRAY[tollgate.ticks_at(l, now) + least(units, l.most_debt)];
  END IF;
  first := tollgate.first_staying(theirs, now);
  IF newest - first < l.unit AND (l.algorithm <> 2 OR f.per_us = l.per_us) THEN RETURN theirs; END IF;
  FOR i IN first .. newest LOOP
    units := theirs[2 * i + 2] - theirs[2 * i];
    IF units > 0 THEN c := tollgate.add_units(l, c, theirs[2 * i + 1], units); END IF;
  END LOOP;
  RETURN c;
END $$;

-- Microseconds until a list of a row is idle.
CREATE FUNCTION tollgate.idle_in(r tollgate.counts, of_list float8, now float8) RETURNS float8
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  e tollgate.entry;
  idle float8 := 0;
  longest float8 := 0;
BEGIN
  FOREACH e IN ARRAY r.entries LOOP
    IF e.list = of_list THEN idle := greatest(idle, (e.lim).idle); END IF;
  END LOOP;
  FOREACH e IN ARRAY r.entries LOOP
    IF e.list = of_list THEN longest := greatest(longest, tollgate.reset(e.lim, e.cells, now - idle)); END IF;
  END LOOP;
  RETURN longest;
END $$;

-- A row without what is idle. It expires with the rest, or has none.
CREATE FUNCTION tollgate.without_idle(r tollgate.counts, now float8) RETURNS tollgate.counts
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  e tollgate.entry;
  kept tollgate.entry[] := '{}';
  idle float8;
  longest float8 := 0;
BEGIN
  FOREACH e IN ARRAY r.entries LOOP
    idle := tollgate.idle_in(r, e.list, now);
    longest := greatest(longest, idle);
    IF idle > 0 THEN kept := kept || e; END IF;
  END LOOP;
  r.entries := kept;
  IF r.block[3] > now THEN longest := greatest(longest, r.block[3] - now); ELSE r.block := NULL; END IF;
  r.expires := CASE WHEN longest > 0 THEN now + longest END;
  RETURN r;
END $$;

-- Applies a verb to one row. The verb is what it changes (1), whether it decides (2), charges (4), refunds (8) or
-- renews (16). `times` is more than 1 for takes only: as many of these identical calls are made as conform.
--
-- `a` has the plan at `p`: whether the first numbers are kept, the number of limits, after how many of `lims` they
-- come, and for each whether it enforces, and how far from `p` its block is described: the number of
-- durations, these, when offences are forgotten, and whether blocks are extended. The costs are in `a`, too, and so is
-- the receipt, or 0: until when each limit counts, and the moment. Notes of limits that are counted under other numbers
-- begin with `place`.
CREATE FUNCTION tollgate.apply(
  r tollgate.counts, lims tollgate.lim[], a float8[], p int, verb int, costs int, receipt int, times float8,
  wanted boolean, now float8, place float8[]
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
  keeps boolean;
  idle float8 := 0;
  cost float8;
  units float8;
  at int;
BEGIN
  FOR i IN 1 .. n LOOP
    l := lims[a[p + 2] + i];
    ids[i] := l.id;
    FOREACH e IN ARRAY r.entries LOOP
      CONTINUE WHEN (e.lim).id <> l.id;
      -- The starts of windows by the calendar are those that the call knows.
      IF l.kind = 100 THEN
        units := (e.lim).capacity;
        e.lim := l;
        e.lim.capacity := units;
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
    l := lims[a[p + 2] + i];
    e := found[i];
    -- An idle limit is as a new one, unless it starts empty, or other numbers or limits were counted with it. A
    -- correction goes by the numbers of the row, whatever they are.
    IF e.list IS NULL OR (matters AND receipt = 0 AND tollgate.idle_in(r, e.list, now) <= 0) THEN
      e := ROW(l, coalesce((found[1]).list, 0), coalesce(e.born, now), tollgate.new_cells(l, now))::tollgate.entry;
    ELSE
      is_new := false;
      IF e.lim <> l AND receipt = 0 THEN
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
  IF starts_empty AND NOT is_new AND receipt = 0 THEN
    starts_anew := true;
    FOREACH e IN ARRAY own LOOP
      starts_anew := starts_anew AND tollgate.reset(e.lim, e.cells, now - idle) <= 0;
    END LOOP;
    FOR i IN 1 .. CASE WHEN starts_anew THEN n ELSE 0 END LOOP
      own[i].cells := tollgate.new_cells((own[i]).lim, now);
    END LOOP;
  END IF;
  -- A bucket that starts empty starts to fill with its first call.
  keeps := changes AND (is_moved OR starts_anew OR NOT is_own_list OR (is_new AND starts_empty));

  o.admitted := times;
  FOR i IN 1 .. n LOOP
    e := own[i];
    cost := a[costs + i - 1];
    IF verb & 24 = 0 THEN
      units := tollgate.fits(e.lim, e.cells, now, cost, times);
      conforms[i] := least(units, 1);
      IF a[p + 1 + 2 * i] = 1 THEN o.admitted := least(o.admitted, units); END IF;
    ELSIF verb & 8 > 0 THEN
      CONTINUE WHEN cost = 0;
      IF receipt = 0 THEN
        own[i].cells := tollgate.give_back(e.lim, e.cells, now, cost);
        keeps := keeps OR NOT is_new;
      ELSIF NOT is_new AND e.born <= a[receipt + n] THEN
        -- A new key has nothing of what was taken.
        own[i].cells := tollgate.correct(e.lim, e.cells, now, cost, a[receipt + i - 1]);
      END IF;
    ELSE
      conforms[i] := 1;
      CONTINUE WHEN cost = 0;
      units := CASE WHEN receipt > 0 THEN a[receipt + i - 1] END;
      at := tollgate.first_group(e.cells, 1, units);
      IF (e.lim).algorithm = 4 AND units > now AND e.born <= a[receipt + n]
        AND e.cells[2 * at + 1] = units AND e.cells[2 * at + 2] - e.cells[2 * at] >= cost THEN
        -- By the time to live under which the places were taken.
        own[i].cells := tollgate.take(
          lims[a[p + 2] + i], tollgate.correct(e.lim, e.cells, now, cost, units), now, cost);
      ELSE
        conforms[i] := 0;
        o.admitted := 0;
      END IF;
    END IF;
  END LOOP;
  FOR i IN 1 .. CASE WHEN verb & 4 > 0 OR (verb & 2 > 0 AND o.admitted > 0) THEN n ELSE 0 END LOOP
    e := own[i];
    cost := a[costs + i - 1];
    units := CASE WHEN verb & 4 > 0 THEN 1 WHEN a[p + 1 + 2 * i] = 1 THEN o.admitted
      ELSE tollgate.fits(e.lim, e.cells, now, cost, o.admitted) END;
    CONTINUE WHEN units = 0 OR cost = 0;
    own[i].cells := tollgate.take(e.lim, e.cells, now, units * cost);
    keeps := keeps OR changes;
  END LOOP;

  FOR i IN 1 .. CASE WHEN wanted OR o.admitted < times THEN n ELSE 0 END LOOP
    e := own[i];
    o.capacities := o.capacities || (e.lim).capacity;
    IF (e.lim).algorithm = 4 THEN
      l := CASE WHEN receipt > 0 THEN lims[a[p + 2] + i] ELSE e.lim END;
      at := tollgate.first_group(e.cells, 1, ceil((now + l.length) / l.per_us) * l.per_us);
      o.places := o.places || coalesce(e.cells[2 * at + 1], 0);
    END IF;
    cost := tollgate.wait(e.lim, e.cells, now, CASE WHEN verb & 16 > 0 THEN 0 ELSE a[costs + i - 1] END);
    o.answer := o.answer || ARRAY[conforms[i], tollgate.used(e.lim, e.cells, now), cost,
      CASE WHEN cost = -1 THEN 0 ELSE tollgate.used(e.lim, e.cells, now + cost) END,
      tollgate.reset(e.lim, e.cells, now)];
  END LOOP;
  IF receipt > 0 THEN
    -- A correction moves no entry, and makes none.
    FOR i IN 1 .. cardinality(r.entries) LOOP
      at := array_position(ids, ((r.entries[i]).lim).id);
      IF at > 0 THEN r.entries[i].cells := own[at].cells; END IF;
    END LOOP;
  ELSIF keeps THEN
    IF hits = 0 OR NOT is_own_list OR cardinality(r.entries) > n THEN
      FOR i IN 1 .. n LOOP own[i].list := coalesce(list, 0) + 1; END LOOP;
      FOREACH e IN ARRAY r.entries LOOP
        IF NOT (e.lim).id = ANY (ids) THEN own := own || e; END IF;
      END LOOP;
    END IF;
    r.entries := own;
  END IF;
  o.r := r;
  RETURN o;
END $$;

-- The call of a transaction whose row is blocked for the longest time, from 0. The calls are at `calls` in `a`.
CREATE FUNCTION tollgate.blocker(rows tollgate.counts[], a float8[], calls int, n int, now float8) RETURNS int
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ends float8 := now;
  found int;
BEGIN
  FOR i IN 0 .. n - 1 LOOP
    IF (rows[a[calls + 4 * i]]).block[1] > ends THEN
      found := i;
      ends := (rows[a[calls + 4 * i]]).block[1];
    END IF;
  END LOOP;
  RETURN found;
END $$;

-- The block of row `k` after calls that a block denied, which may extend it, or else after calls that limits denied, or
-- that were charged beyond their capacity.
CREATE FUNCTION tollgate.blocked(
  block float8[], k int, a float8[], calls int, n int, answer float8[], capacities float8[], charges boolean,
  is_denial boolean, now float8
) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  p int;
  at int;
  entry int := 0;
  durations int;
  moment float8;
  offences int := CASE WHEN NOT is_denial AND now < block[3] THEN block[2] ELSE 0 END;
  ends float8 := CASE WHEN is_denial THEN block[1] ELSE now END;
  forgets float8 := now;
BEGIN
  IF is_denial AND (now < ends) IS NOT TRUE THEN RETURN block; END IF;
  FOR i IN 0 .. n - 1 LOOP
    p := a[calls + 4 * i + 1];
    FOR j IN 1 .. a[p + 1]::int LOOP
      entry := entry + 1;
      at := p + a[p + 2 + 2 * j];
      durations := a[at];
      CONTINUE WHEN durations = 0 OR a[calls + 4 * i] <> k;
      CONTINUE WHEN NOT CASE WHEN is_denial THEN a[at + durations + 2] = 1
        WHEN a[a[calls + 4 * i + 2] + j - 1] = 0 THEN false
        WHEN charges THEN answer[5 * entry - 3] >= capacities[entry]
        ELSE answer[5 * entry - 4] = 0 AND answer[5 * entry - 2] <> -1 END;
      moment := now + a[at + 1 + least(offences, durations - 1)];
      ends := greatest(ends, moment);
      forgets := greatest(forgets, moment + a[at + durations + 1]);
    END LOOP;
  END LOOP;
  IF is_denial THEN RETURN ARRAY[ends, block[2], block[3] + ends - block[1]] || block[4 :]; END IF;
  RETURN CASE WHEN ends > now THEN ARRAY[ends, offences + 1, forgets] ELSE block END;
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
-- transaction is its verb, what else it does (1: removes an idle key, 2: forgets, 3: sets a block, 4: may begin one),
-- how many identical calls it is, whether each is reported, the number of its keys, and for each key its row, its plan
-- in `a`, its costs there, and its receipt there or 0. Several identical calls are takes of one key, which begin no
-- block. The reply is that of the script for Redis (`script/decode-reply.ts`).
CREATE FUNCTION tollgate.decide(
  run text, given float8, patience float8, locks int, names text[], lims tollgate.lim[], a float8[]
) RETURNS text LANGUAGE plpgsql VOLATILE SET extra_float_digits = 1 SET enable_seqscan = off AS $$
DECLARE
  now float8 := given;
  rows tollgate.counts[] := '{}';
  stored tollgate.counts[];
  saved tollgate.counts[];
  changed int[] := '{}';
  made text[] := '{}';
  r tollgate.counts;
  o tollgate.outcome;
  replies text[] := '{}';
  part float8[];
  notes float8[] := '{}';
  noted int;
  at int := a[1];
  calls int;
  verb int;
  extra int;
  way int;
  times float8;
  each boolean;
  n int;
  c int;
  k int;
  admitted float8;
  ok boolean;
  blocker int;
  is_blocked boolean;
  idle float8;
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
    IF NOT FOUND THEN r := ROW(names[i], 0, '{}'::tollgate.entry[], NULL::float8[]); END IF;
    rows[i] := r;
  END LOOP;
  IF now IS NULL THEN now := (extract(epoch FROM clock_timestamp()) * 1000000)::float8; END IF;
  IF extract(epoch FROM clock_timestamp() - statement_timestamp()) * 1000 > patience THEN RETURN 'late'; END IF;
  -- The windows of the calendar are described for other times: with this one, the caller describes them again.
  IF now < a[3] OR now >= a[4] THEN RETURN now::text; END IF;
  stored := rows;

  FOR number IN 1 .. a[2]::int LOOP
    verb := a[at];
    extra := a[at + 1];
    times := a[at + 2];
    each := a[at + 3] = 1;
    n := a[at + 4];
    calls := at + 5;
    at := calls + 4 * n;
    k := a[calls];
    part := '{}';
    admitted := 0;
    IF extra = 1 THEN
      r := tollgate.without_idle(rows[k], now);
      IF r.expires IS NULL AND (cardinality(rows[k].entries) > 0 OR rows[k].block IS NOT NULL) THEN
        rows[k] := r;
        admitted := 1;
      END IF;
    ELSIF extra = 2 THEN
      c := a[calls + 1];
      rows[k].entries := ARRAY(SELECT t::tollgate.entry FROM unnest(rows[k].entries) t
        WHERE (t.lim).id NOT IN (SELECT id FROM unnest(lims[a[c + 2] + 1 : a[c + 2] + a[c + 1]])));
      admitted := 1;
    ELSIF extra = 3 THEN
      -- An operator's block: 0 ends one, 1 is one that lasts, 2 one until a moment; the microseconds; the reason.
      r := rows[k];
      admitted := CASE WHEN now < r.block[1] THEN 1 ELSE 0 END;
      IF a[at] = 0 THEN
        r.block := NULL;
      ELSE
        idle := CASE WHEN a[at] = 1 THEN now + a[at + 1] ELSE a[at + 1] END;
        r.block := CASE WHEN now < r.block[3] THEN ARRAY[idle, r.block[2], greatest(idle, r.block[3])]
          ELSE ARRAY[idle, 0, idle] END || a[at + 3 : at + 2 + a[at + 2]::int];
      END IF;
      rows[k] := r;
      at := at + 3 + a[at + 2]::int;
    ELSE
      ok := true;
      WHILE ok AND admitted < times LOOP
        blocker := CASE WHEN verb & 6 > 0 THEN tollgate.blocker(rows, a, calls, n, now) END;
        is_blocked := blocker IS NOT NULL;
        way := CASE WHEN is_blocked AND verb & 4 = 0 THEN 0 ELSE verb END;
        ok := NOT is_blocked;
        saved := CASE WHEN n > 1 THEN rows END;
        noted := cardinality(notes);
        -- All or nothing: of two calls for one key each may conform alone, but not both. If several keys are denied,
        -- counts under other numbers move, buckets that start empty start to fill, and all keys are shown as they are.
        FOR pass IN 1 .. CASE WHEN n > 1 AND way & 2 > 0 THEN 3 ELSE 1 END LOOP
          EXIT WHEN pass > 1 AND ok;
          answer := '{}';
          places := '{}';
          capacities := '{}';
          FOR i IN 0 .. n - 1 LOOP
            c := calls + 4 * i;
            k := a[c];
            o := tollgate.apply(rows[k], lims, a, a[c + 1]::int,
              CASE pass WHEN 1 THEN way WHEN 2 THEN way & 1 ELSE 0 END, a[c + 2]::int, a[c + 3]::int,
              CASE WHEN each THEN 1 ELSE times - admitted END,
              each OR is_blocked OR extra = 4 OR way & 10 = 0 OR pass = 3, now, ARRAY[number, i + 1]);
            rows[k] := o.r;
            notes := notes || o.notes;
            answer := answer || o.answer;
            places := places || o.places;
            capacities := capacities || o.capacities;
            ok := ok AND o.admitted > 0;
            IF pass = 1 AND n > 1 AND way & 3 = 3 AND NOT ok THEN
              rows := saved;
              notes := notes[: noted];
              EXIT;
            END IF;
          END LOOP;
        END LOOP;
        IF ok THEN admitted := admitted + o.admitted; END IF;
        IF extra = 4 AND (is_blocked OR verb & 4 > 0 OR NOT ok) THEN
          FOR k IN SELECT DISTINCT a[calls + 4 * i] FROM generate_series(0, n - 1) i LOOP
            rows[k].block := tollgate.blocked(
              rows[k].block, k, a, calls, n, answer, capacities, verb & 4 > 0, is_blocked, now);
          END LOOP;
        END IF;
        IF verb & 8 = 0 AND (each OR NOT ok) THEN
          blocker := CASE WHEN verb & 6 > 0 THEN tollgate.blocker(rows, a, calls, n, now) END;
          IF blocker IS NOT NULL THEN
            r := rows[a[calls + 4 * blocker]];
            part := part || ARRAY[-99, r.block[1] - now, CASE WHEN is_blocked THEN 1 ELSE 0 END, blocker + 1,
              cardinality(r.block) - 3] || r.block[4 :];
          END IF;
          part := part || answer;
        END IF;
      END LOOP;
      IF cardinality(part) > 0 THEN part := part || places; END IF;
    END IF;
    replies[number] := array_to_string(admitted || part, ',');
  END LOOP;

  FOR i IN 1 .. cardinality(names) LOOP
    r := rows[i];
    CONTINUE WHEN r IS NOT DISTINCT FROM stored[i];
    r := tollgate.without_idle(r, now);
    rows[i] := r;
    IF (stored[i]).expires > 0 THEN changed := changed || i; END IF;
    CONTINUE WHEN (stored[i]).expires > 0 OR r.expires IS NULL;
    INSERT INTO tollgate.counts VALUES (r.*) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      DELETE FROM tollgate.counts WHERE key = ANY (made);
      RETURN 'again';
    END IF;
    made := made || r.key;
  END LOOP;
  FOREACH k IN ARRAY changed LOOP
    r := rows[k];
    IF r.expires IS NULL THEN
      DELETE FROM tollgate.counts WHERE key = r.key;
    ELSE
      UPDATE tollgate.counts SET expires = r.expires, entries = r.entries, block = r.block
      WHERE key = r.key;
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
