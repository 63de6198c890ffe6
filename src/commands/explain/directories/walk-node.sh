#!/bin/sh
# Measures what is on the disk of a node, below $1: `du` of each place, by the owner that the place is of. Writes nothing.
#
# Layers are those of containerd's snapshotter overlayfs. The kernel leaves work/work in a snapshot that was the writable layer of
# a mount: one that no mount names is that of an ended container. The kubelet deletes the logs of pods that are gone.
#
# Lines, with tabs between: `p OWNER BYTES PATH` a place · in the end `s OWNER BYTES NOTE`, its sum.
root=$1
cd /
renice -n 19 -p $$ >/dev/null 2>&1
ionice -c 3 -p $$ >/dev/null 2>&1
lf='
'
device() { stat -c %d "$1" 2>/dev/null; }
place() {
  # Its name would be other lines.
  case $2 in *"$lf"*) return 0 ;; esac
  [ -e "$2" ] || [ -L "$2" ] || return 0
  size=$(du -xsk "$2" 2>/dev/null)
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" $? "$(device "$2")" "${size%%[!0-9]*}" "${2#"$root"}"
}
containerd=$root/var/lib/containerd
# shellcheck disable=SC2020 # characters
mounts=$(tr ',: ' '\n\n\n' <"${MOUNTINFO:-/proc/1/mountinfo}" 2>/dev/null)
uppers=$(echo "$mounts" | sed -n 's|^upperdir=.*/snapshots/\([0-9]*\)/fs$|\1|p' | sort -u)
lowers=$(echo "$mounts" | sed -n 's|^\(lowerdir=\)\{0,1\}.*snapshots/\([0-9]*\)/fs$|\2|p;s|^\(lowerdir=\)\{0,1\}\([0-9]*\)/fs$|\2|p' | sort -u)
has() { case "
$2
" in *"
$1
"*) return 0 ;; esac; return 1; }
places() {
  for folder in "$root/var/lib/kubelet" "$root/var/log" "$containerd"; do
    printf 'disk\t0\t%s\t%s\n' "$(device "$folder")" "$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $3 }')"
  done
  place 'compressed copies of images' "$containerd/io.containerd.content.v1.content"
  for folder in "$containerd"/io.containerd.snapshotter.v1.overlayfs/snapshots/*; do
    id=${folder##*/}
    if has "$id" "$uppers"; then place 'writable layers of running containers' "$folder/fs"
    elif has "$id" "$lowers"; then place 'layers of images in use' "$folder/fs"
    elif [ -d "$folder/work/work" ]; then place 'writable layers of ended containers' "$folder/fs"
    else place 'layers of images that no container uses' "$folder/fs"; fi
  done
  for folder in "$containerd"/io.containerd.grpc.v1.cri/containers/*/volumes; do place 'VOLUME data of images' "$folder"; done
  for folder in "$root"/var/lib/kubelet/pods/*; do
    owner='volumes of pods without logs: gone, or not started'
    for logs in "$root"/var/log/pods/*_"${folder##*/}"; do [ ! -e "$logs" ] || owner='volumes of pods'; done
    place "$owner" "$folder"
  done
  for folder in "$root"/var/log/pods/*; do place 'logs of pods' "$folder"; done
  for folder in "$root"/var/log/*; do
    case $folder in "$root"/var/log/pods | "$root"/var/log/containers) ;; *) place 'other logs' "$folder" ;; esac
  done
}
places | awk -F '\t' '
$4 !~ /^[0-9]+$/ { next }
$1 == "disk" { used[$3] = $4; next }
{
  sum[$1] += $4
  if ($2) note[$1] = "some of it could not be read"
  if ($3 in used) rest -= $4
  printf "p\t%s\t%.0f\t%s\n", $1, $4 * 1024, substr($0, length($1 $2 $3 $4) + 5)
  fflush()
}
END {
  for (device in used) rest += used[device]
  if (rest > 0) sum["all else"] = rest
  for (owner in sum) printf "s\t%s\t%.0f\t%s\n", owner, sum[owner] * 1024, note[owner]
}'
