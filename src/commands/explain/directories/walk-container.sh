#!/bin/sh
# Measures what a container has written. $1: what precedes every path, '' in the container itself, /proc/1/root beside it · $2: its
# start, of its root file system only what has changed since counts, by ctime: nobody can set that one · $3: seconds for each walk.
# The other arguments are its mounts, `PART:PATH`, without a part where they are not walked; the root file system has an empty path.
# Writes nothing, keeps a few megabytes in memory, and yields the disk and the processor to others.
#
# A name with a line feed would be other lines: it is left out, with all that is in a directory of such a name, and counted.
#
# Lines, with tabs between: `m TOOL` it is missing, and nothing is measured · `p PART BYTES PATH` is among the largest; a directory
# ends with a slash · `s PART BYTES NOTE` ends a part, with its sum.
root=$1 start=$2 seconds=$3
shift 3
lf='
'
LC_ALL=C
export LC_ALL
for tool in awk find timeout; do
  command -v $tool >/dev/null || { printf 'm\t%s\n' $tool; exit; }
done
stat -c %Z / >/dev/null 2>&1 || { printf 'm\tstat that shows ctimes\n'; exit; }
renice -n 19 -p $$ >/dev/null 2>&1
ionice -c 3 -p $$ >/dev/null 2>&1
list() {
  top=$1
  shift
  for mount do
    shift
    set -- "$@" -path "$root${mount#*:}" -prune -o
  done
  timeout "$seconds" find "$root$top/" -xdev "$@" -name "*$lf*" -prune -exec stat -c b {} + \
    -o -exec stat -c '%f %Z %b %h %i %n' {} + 2>/dev/null
  printf '\ne %d\n' $?
}
# A find lists all that is in a directory before it leaves it: only the sums of the directories that lead to the present one are kept,
# and of all others those of the largest. Without the exit code of find, it was killed.
# shellcheck disable=SC2016 # of awk
summing='
function keep(blocks, path, i) {
  if (blocks <= size[least] + 0) return
  size[least] = blocks
  name[least] = path
  for (i = 1; i <= 40; i++) if (size[i] + 0 < size[least]) least = i
}
function leave(level) {
  for (; depth > level; depth--) if (open[depth] != top) keep(sum[depth], open[depth] "/")
}
BEGIN { least = 1; code = 124 }
$1 == "e" { code = $2 }
NF < 6 { bad += $1 == "b"; next }
$1 $2 $3 $4 $5 !~ /^[0-9a-f]+$/ { bad++; next }
$2 + 0 < since + 0 { next }
{ isDirectory = $1 ~ /^4...$/ }
!isDirectory && $4 > 1 { if ($5 in seen) next; if (links++ < 10000) seen[$5] = 1 }
{
  total += $3
  path = substr($0, index($0, "/") + length(root))
  last = split(path, part, "/")
  if (!isDirectory) { keep($3 + 0, path); last-- }
  dir = ""
  level = 0
  for (i = 2; i <= last; i++) {
    if (part[i] == "") continue
    dir = dir "/" part[i]
    if (++level > depth || open[level] != dir) {
      leave(level - 1)
      depth = level
      open[level] = dir
      sum[level] = 0
    }
    sum[level] += $3
  }
}
END {
  leave(0)
  for (i in size) if (size[i]) printf "p\t%s\t%.0f\t%s\n", name_of_part, size[i] * 512, name[i]
  if (code == 124 || code == 137 || code == 143) note = "the time was up: at least this much"
  else if (code) note = "some of it could not be read"
  if (bad) note = note (note ? "; " : "") bad " names skipped"
  printf "s\t%s\t%.0f\t%s\n", name_of_part, total * 512, note
}'
set -- "$@" :/etc/hosts :/etc/hostname :/etc/resolv.conf
for place do
  part=${place%%:*} top=${place#*:} since=0
  [ -n "$part" ] || continue
  [ -n "$top" ] || since=$start
  list "$top" "$@" | awk -v name_of_part="$part" -v top="$top" -v since="$since" -v root="$root" "$summing"
done
