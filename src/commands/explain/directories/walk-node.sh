#!/bin/sh
# Measures what is on the disk of a node, below $1: `du` of each place, in KiB, with the owner that the place is of. Writes nothing.
# $2: 1 where the UIDs of all pods of the node follow; a directory of another pod is orphaned once it is ten minutes old.
#
# Layers are those of containerd's snapshotter overlayfs. The kernel leaves work/work in a snapshot that was the writable layer of
# a mount: one that no mount names is that of an ended container.
#
# Lines: `f DEVICE KIB` used bytes of a filesystem · `p OWNER DEVICE KIB PATH` a place · `x PATH` it could not be measured as a
# whole · `end` all was measured.
root=$1 areKnown=$2
shift 2
uids=" $* "
cd /
renice -n 19 -p $$ >/dev/null 2>&1
ionice -c 3 -p $$ >/dev/null 2>&1
device() { stat -c %d "$1" 2>/dev/null; }
lf='
'
place() {
  # Its name would be other lines.
  case $2 in *"$lf"*) named=${2%%"$lf"*}; echo "x ${named#"$root"}"; return 0 ;; esac
  [ -e "$2" ] || [ -L "$2" ] || return 0
  size=$(du -xsk "$2" 2>/dev/null) || echo "x ${2#"$root"}"
  size=${size%%[!0-9]*}
  [ -z "$size" ] || echo "p $1 $(device "$2") $size ${2#"$root"}"
}
containerd=$root/var/lib/containerd
for folder in "$root/var/lib/kubelet" "$root/var/log" "$containerd"; do
  used=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $3 }')
  [ -z "$used" ] || echo "f $(device "$folder") $used"
done
place image_copies "$containerd/io.containerd.content.v1.content"
# shellcheck disable=SC2020 # characters
mounts=$(tr ',: ' '\n\n\n' <"${MOUNTINFO:-/proc/1/mountinfo}" 2>/dev/null)
uppers=$(echo "$mounts" | sed -n 's|^upperdir=.*/snapshots/\([0-9]*\)/fs$|\1|p' | sort -u)
lowers=$(echo "$mounts" | sed -n 's|^\(lowerdir=\)\{0,1\}.*snapshots/\([0-9]*\)/fs$|\2|p;s|^\(lowerdir=\)\{0,1\}\([0-9]*\)/fs$|\2|p' | sort -u)
has() { case "
$2
" in *"
$1
"*) return 0 ;; esac; return 1; }
for folder in "$containerd"/io.containerd.snapshotter.v1.overlayfs/snapshots/*; do
  id=${folder##*/}
  if has "$id" "$uppers"; then place running_containers "$folder/fs"
  elif has "$id" "$lowers"; then place images_in_use "$folder/fs"
  elif [ -d "$folder/work/work" ]; then place ended_containers "$folder/fs"
  else place unused_layers "$folder/fs"; fi
done
for folder in "$containerd"/io.containerd.grpc.v1.cri/containers/*/volumes; do place runtime_volumes "$folder"; done
for folder in "$root"/var/lib/kubelet/pods/*; do
  owner=pods
  case $uids in *" ${folder##*/} "*) ;; *)
    [ "$areKnown" != 1 ] || [ -z "$(find "$folder" -maxdepth 0 -mmin +10 2>/dev/null)" ] || owner=orphaned_pods ;;
  esac
  place $owner "$folder"
done
for folder in "$root"/var/log/* "$root"/var/log/pods/*; do
  case $folder in
    "$root"/var/log/pods | "$root"/var/log/containers) ;;
    "$root"/var/log/pods/*)
      case $uids in *" ${folder##*_} "*) place pods "$folder" ;; *) place logs "$folder" ;; esac ;;
    *) place logs "$folder" ;;
  esac
done
echo end
