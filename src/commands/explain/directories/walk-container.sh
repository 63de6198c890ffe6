#!/bin/sh
# Lists the largest directories and files of the writable layer, walk 0, and of each emptyDir, walks 1 and up, with their sums: what
# `du -x` counts, in blocks of 512 bytes. Of the container's root file system only what has changed since its start counts, by
# ctime: nobody can set that one. Writes nothing, keeps a few megabytes in memory, and yields the disk and the processor to others.
#
# A name with a line feed would be other lines: it is left out, with all that is in a directory of such a name, and counted. A path
# ends with `//`, which no path has in it: a line without was cut, as its find was killed.
#
# A find lists all that is in a directory before it leaves it. So the sums of the directories that lead to the present one are kept,
# and of all others those of the largest.
#
# Lines: `m TOOL` it is missing, and nothing was listed · `p PERCENT` of the last 10 s in which all tasks of the node waited for its
# disks: nothing was listed · `w NUMBER` begins a walk · `e CODE` its find has ended with that exit code; written past what find has
# written, which may end anywhere · `d BLOCKS PATH` directory · `f BLOCKS PATH` file · `t BLOCKS FILES BAD` ends a walk, with its sum,
# its files, and the lines that were not understood.
root=$1 start=$2 seconds=$3 walks=$4 most=$5
shift 5
lf='
'
LC_ALL=C
export LC_ALL
exec 3>&1
for tool in awk date find timeout; do
  command -v $tool >/dev/null || { echo "m $tool"; walks=-1; }
done
formats=stat
find / -maxdepth 0 -printf '' 2>/dev/null && formats='printf'
[ $formats = printf ] || stat -c %Z / >/dev/null 2>&1 || { echo 'm stat'; walks=-1; }
[ "$walks" -ge 0 ] || exit 0
busy=$(awk '/^full/ { sub(/.*avg10=/, ""); if ($1 + 0 >= 50) print "p " ($1 + 0) }' /proc/pressure/io 2>/dev/null)
[ -z "$busy" ] || { echo "$busy"; exit 0; }
renice -n 19 -p $$ >/dev/null 2>&1
ionice -c 3 -p $$ >/dev/null 2>&1
end=$(($(date +%s) + seconds))
list() {
  top=$1 left=$((end - $(date +%s)))
  [ $left -gt 0 ] || left=1
  shift
  for mount do
    shift
    set -- "$@" -path "$root$mount" -prune -o
  done
  if [ $formats = printf ]; then
    timeout $left find "$root$top/" -xdev "$@" -name "*$lf*" -prune -printf 'b\n' -o -type d -printf '4 %C@ %b 1 %i %p//\n' -o -printf '8 %C@ %b %n %i %p//\n'
  else
    timeout $left find "$root$top/" -xdev "$@" -name "*$lf*" -prune -exec stat -c b {} + -o -exec stat -c '%f %Z %b %h %i %n//' {} +
  fi 2>/dev/null 3>&-
  echo "e $?" >&3
}
# shellcheck disable=SC2016 # of awk
summing='
function keep(kind, blocks, path, i) {
  if (blocks <= size[kind, slot[kind]] + 0) return
  size[kind, slot[kind]] = blocks
  name[kind, slot[kind]] = path
  for (i = 1; i <= most; i++) if (size[kind, i] + 0 < size[kind, slot[kind]] + 0) slot[kind] = i
}
function leave(level) {
  for (; depth > level; depth--) keep("d", sum[depth], open[depth])
}
function show(kind, i) {
  for (i = 1; i <= most; i++) if (size[kind, i] + 0 > 0) printf "%s %.0f %s\n", kind, size[kind, i], name[kind, i]
}
BEGIN { slot["d"] = slot["f"] = 1 }
$0 == "b" { bad++; next }
!/\/\/$/ { next }
NF < 6 || $1 !~ /^[0-9a-f]+$/ || $2 $3 $4 $5 !~ /^[0-9.]+$/ { bad++; next }
$2 + 0 < since + 0 { next }
{ kind = $1 ~ /^4(...)?$/ ? "d" : "f" }
kind == "f" && $4 > 1 { if ($5 in seen) next; if (links++ < 10000) seen[$5] = 1 }
{
  count += kind == "f"
  total += $3
  path = substr($0, 1, length($0) - 2)
  sub(/^[^ ]+ [0-9.]+ [0-9]+ [0-9]+ [0-9]+ /, "", path)
  path = substr(path, length(root) + 1)
  if (kind == "f") keep("f", $3 + 0, path)
  last = split(path, part, "/")
  if (kind == "f") last--
  if (last > 12) last = 12
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
  show("d")
  show("f")
  printf "t %.0f %d %d\n", total, count, bad
}'
walk() {
  number=$1 since=$2
  shift 2
  echo "w $number"
  list "$@" | awk -v since="$since" -v root="$root" -v most="$most" "$summing"
}
walk 0 "$start" "" "$@"
number=1
for path do
  [ $number -le "$walks" ] || break
  walk $number 0 "$path" "$@"
  number=$((number + 1))
done
