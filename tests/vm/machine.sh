# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The first half of kernel.sh: makes the machine, runs it, and unpacks what it saved to $saved.
# shellcheck disable=SC2154 # saved, here, release are kernel.sh's

root=$tmp/root
mkdir -p "$root"/{bin,lib,dev,proc,sys,modules}

# program FILE: with the libraries that it needs.
program() {
	cp "$1" "$root/bin/"
	ldd "$1" | grep -oE '/[^ ]+' | while read -r library; do
		cp -n "$library" "$root/lib/"
	done
	return 0
}
program "$STACK2LINE"
program "$top_builddir/tests/vm/capture"
program "$(command -v bpftool)"
cp "$(command -v busybox)" "$root/bin/busybox"
mkdir -p "$root/lib64"
cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
cp "$top_builddir/tests/vm/kernel.bpf.o" "$root/"
cp "$here/init" "$root/init"
chmod +x "$root/init"

# modules LIST NAME...: the files of modules and what they need, in order.
modules() {
	local list=$1
	shift
	for name; do
		modprobe --show-depends -S "$release" "$name"
	done | awk '/^insmod/ && !seen[$2]++ { print $2 }' | grep -v crc32c-intel >"$tmp/files"
	while read -r file; do
		cp "$file" "$root/modules/"
		echo "/modules/$(basename "$file")"
	done <"$tmp/files" >"$root/$list"
}
modules modules.first virtio_pci virtio_blk loop ext4
modules modules.later nbd
echo loop_queue_rq lo_complete_rq virtblk_done virtio_queue_rq ext4_file_write_iter ext4_bio_write_page \
	ext4_mark_iloc_dirty jbd2_journal_commit_transaction jbd2_journal_get_write_access \
	vring_interrupt submit_bio blk_mq_complete_request vfs_write schedule tick_nohz_irq_exit \
	mb_cache_entry_find_first irq_enter_rcu virtblk_request_done >"$root/functions"
truncate -s 8M "$root/ext4.img"
mkfs.ext4 -q "$root/ext4.img"
truncate -s 128M "$tmp/disk"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$tmp/initrd"
timeout 500 qemu-system-x86_64 -m 768 -nographic -no-reboot -kernel "/boot/vmlinuz-$release" \
	-initrd "$tmp/initrd" -append "console=ttyS0 quiet panic=-1" \
	-drive "file=$tmp/disk,format=raw,if=virtio" </dev/null >"$tmp/console" 2>&1
grep -q 'vm: finished' "$tmp/console"
ok $? "the machine runs" || diag "$(tail -n 30 "$tmp/console")"
mkdir "$saved"
tar xf "$tmp/disk" -C "$saved" 2>/dev/null
if [ -n "${S2L_VM_KEEP:-}" ]; then
	mkdir -p "$S2L_VM_KEEP"
	cp -r "$saved/." "$tmp/console" "$S2L_VM_KEEP/"
fi
