-- A moment as both APIs print it, for statements that write JSON themselves: sessions have the time zone UTC, and the
-- text is the one that `isoText` of the pool makes of a timestamptz.
create function site.iso(moment timestamptz) returns text
  language sql stable parallel safe
  return to_char(moment, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
