#!/bin/busybox sh
# First program of the machine. The host's root is read-only; what is written lies in memory.
/bin/busybox mkdir -p /sbin
/bin/busybox --install -s /bin
export PATH=/bin HOME=/
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
    insmod "/modules/$module.ko" 2>/dev/null || echo "vm: $module does not load"
done < /modules/order
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro host /host || echo "vm: no host"
for folder in proc sys dev; do mount --bind "/$folder" "/host/$folder"; done
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
for folder in run mnt var/tmp; do mount -t tmpfs tmp "/host/$folder"; done
ip link set lo up
echo "vm: kernel $(uname -r)"
sed 's/.*iosage.run=\([^ ]*\).*/\1/' /proc/cmdline | tr ',' '\n' | while read -r program; do
    echo "     Running ${program##*/} on $(uname -r) (vm/${program##*/})"
    chroot /host /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C HOME=/run \
        TMPDIR=/dev/shm IOSAGE_LIVE=1 IOSAGE_VM=1 RUST_BACKTRACE=0 \
        "$program" --include-ignored --show-output --test-threads=1 < /dev/null 2>&1
    echo "vm: $program ended with $?"
done
echo "vm: end"
poweroff -f
