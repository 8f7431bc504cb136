#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# layouts.pl SEED N DIRECTORY [NUMBER,…]: writes N layouts of count maps, by a generator of random numbers, or of these
# only those with the numbers: DIRECTORY/layouts.json describes them, and the programs DIRECTORY/0.bpf.c, 1.bpf.c, …
# count samples in them (tests/bpf/layouts.h). Layout 3 has a map b3 with BTF and r3 with the same bytes but no BTF.
# The first ones are those of known programs and of the other tests of such maps.
use strict;
use warnings;
use JSON::PP;

my ($seed, $wanted, $directory, $only) = @ARGV;
my $maps_per_program = 15;

# Type, C expression of the sample "s", names where BTF has names. STACK() is the stack of a side, or of a map for
# that side alone.
my %parts = (
	tgid => ['u32', 's->tgid', qw(pid tgid process_id)],
	tid => ['u32', 's->tid', qw(tid thread_id)],
	pid_tgid => ['u64', 's->pid_tgid', qw(pid_tgid)],
	tgid64 => ['u64', 's->tgid', qw(pid tgid)],
	user => ['s32', 's->id[STACK(USER)]', qw(user_stack_id ustack user_stack usid user)],
	kernel => ['s32', 's->id[STACK(KERNEL)]', qw(kern_stack_id kstack kernel_stack_id ksid kernel)],
	comm => ['char[16]', 's->comm', qw(comm task_comm name)],
	ppid => ['u32', 's->ppid', qw(ppid parent)],
	ppid64 => ['u64', 's->ppid', qw(ppid)],
	cpu => ['u32', 's->cpu', qw(cpu cpu_id)],
	cpu64 => ['u64', 's->cpu', qw(cpu)],
	priority => ['s32', 's->priority', qw(prio priority)],
	uid => ['u32', 's->uid', qw(uid user_id)],
	older_user => ['s32', 's->older[STACK(USER)]', qw(prev_ustack last_user_stack)],
	other_user => ['s32', 's->other[STACK(USER)]', qw(waker_ustack w_user_stack)],
	older_kernel => ['s32', 's->older[STACK(KERNEL)]', qw(prev_kstack last_kernel_stack)],
	other_kernel => ['s32', 's->other[STACK(KERNEL)]', qw(waker_kstack w_kern_stack)],
	tag16 => ['char[16]', 's->tag', qw(tag op queue)],
	tag32 => ['char[32]', 's->tag', qw(tag label)],
	tag64 => ['char[64]', 's->tag', qw(path tag)],
	size32 => ['u32', '(__u32)s->size', qw(size len bytes)],
	size64 => ['u64', 's->size', qw(size len bytes)],
	time => ['u64', 's->time', qw(ts start_ns time)],
	cgroup => ['u64', 's->cgroup', qw(cgroup_id cgid)],
	constant => ['u32', '7', qw(version kind flags)],
	constant64 => ['u64', '1', qw(generation)],
	zero => ['u32', '0', qw(pad unused)],
	flag => ['u8', 's->n % 3', qw(flag reason)],
	port => ['u16', '8080', qw(port)],
	device => ['char[6]', '"eth0\0"', qw(device)],
	failed => ['s32', '-12', qw(failed)],
	address => ['u64', '0x7f0000000000 + 64 * s->n', qw(addr)],
	# bpftrace, up to 0.20
	word_user => ['u64', 's->id[USER] < 0 ? (__u64)s->id[USER] : (__u32)s->id[USER] | (__u64)s->tid << 32'],
	word_kernel => ['u64', '(__u64)s->id[KERNEL]'],
);
my @distractors = qw(ppid ppid cpu cpu priority uid older_user older_user other_user older_kernel other_kernel tag16
	tag32 tag64 size32 size64 time cgroup constant constant64 zero);

# C type of the value, its members, the sum, what a sample adds to it, which of the truth's sums its weight is, what else
# is stored. "set": each key counts once. "allocation": stack IDs are in the value.
my %values = (
	count => ['__u64', '', 'v', '1', 'count'],
	count32 => ['__u32', '', 'v', '1', 'count'],
	size => ['__u64', '', 'v', 's->size', 'size'],
	cpu_count => ['struct', '__u32 cpu; __u32 count;', 'v->count', '1', 'count', 'v->cpu = s->cpu;'],
	count_time => ['struct', '__u64 count; __u64 total_ns;', 'v->count', '1', 'count', 'v->total_ns += s->delta;'],
	delta_comm => ['struct', '__u64 delta; char comm[16];', 'v->delta', 's->delta', 'delta',
		'__builtin_memcpy(v->comm, s->comm, 16);'],
	per_cpu => ['__u64', '', 'v', '1', 'count'],
	per_cpu32 => ['__u32', '', 'v', '1', 'count'],
	set => ['__u32', '', 'v', '0', 'count'],
	allocation => ['struct', '__u64 size; __u64 timestamp_ns; __s32 stack_id;', 'v->size', 's->size', 'size',
		'v->timestamp_ns = s->time; v->stack_id = s->id[USER];'],
	small_allocation => ['struct', '__s32 ustack; __u32 size;', 'v->size', 's->size', 'size', 'v->ustack = s->id[USER];'],
);
my %value_fields = (
	allocation => [{part => 'user', name => 'stack_id', type => 's32', size => 4, at => 16}],
	small_allocation => [{part => 'user', name => 'ustack', type => 's32', size => 4, at => 0}],
);
my @value_kinds = (('count') x 10, qw(count32 count32 size cpu_count cpu_count count_time count_time delta_comm
	per_cpu per_cpu per_cpu32));

# libbpf-tools, bcc, tests/bpf/parent_child.bpf.c, tests/unit/test_raw_reading.c. "=" names the value, "2" two maps of stacks.
my @known = split /\n/, <<'END';
tgid user kernel comm
tgid kernel user comm
tid tgid user kernel
tid tgid user kernel =delta_comm
comm kernel comm
pid_tgid constant64 user
tgid zero constant64 user kernel comm
other_kernel other_user tgid user kernel comm
cgroup tgid user kernel comm 2
user kernel 2
kernel
user
ppid user kernel
ppid user kernel comm
tgid user kernel
tid user kernel
tid user kernel comm
ppid tgid user kernel
tgid ppid user kernel comm
pid_tgid user kernel
cpu user kernel
cpu user kernel comm
user kernel
user kernel uid comm
tid ppid user kernel
kernel tgid
user ppid
pid_tgid time user zero
tgid zero time user kernel comm
user kernel comm tgid
comm tgid user kernel
kernel comm
tid tgid user
user pid_tgid
comm tgid user tag16
tgid user failed
failed kernel comm
tgid user failed failed
zero user kernel
uid user kernel
uid kernel
tgid tid user kernel
pid_tgid user kernel comm
user tgid
tid tgid user older_user kernel
user older_user kernel
tgid ppid user
cpu user
cpu64 tgid64 word_user
word_user
word_kernel word_user comm
tag64 tgid64 word_user
word_kernel
cpu64 word_user
ppid64 word_user
word_user ppid64
word_user ppid64 comm
tgid64 comm word_user
tgid64 comm word_user word_kernel
word_user tgid64 ppid64
ppid64 word_kernel word_user cpu64
word_kernel word_user
comm word_user
tgid64 word_user
tag64 word_kernel
tgid64 word_kernel
comm tgid64 word_user word_kernel
size64 word_user
time word_user
time tgid user kernel
cgroup tgid user kernel
cgroup user kernel comm
cpu tgid user kernel comm
priority tgid tid user kernel
tag32 tgid user kernel
tag64 tgid user comm
size64 tgid user =size
address =allocation
address tgid =small_allocation
tgid address comm =small_allocation
user =set
tgid user kernel =set
user kernel comm =set
END

sub pick { return $_[int rand @_] }

sub chance { return rand() < $_[0] }

sub shuffle {
	my @all = @_;
	for my $i (reverse 1 .. $#all) {
		my $j = int rand($i + 1);
		@all[$i, $j] = @all[$j, $i];
	}
	return @all;
}

# The parts of a layout by chance, those of bpftrace sometimes.
sub random_parts {
	my @parts = @{pick([], ['tgid'], ['tgid'], ['tgid'], ['tid'], ['tgid', 'tid'], ['tgid', 'tid'], ['pid_tgid'],
		['pid_tgid'], ['tgid64'])};
	push @parts, @{pick(['user'], ['user'], ['kernel'], (['user', 'kernel']) x 5)};
	push @parts, 'comm' if chance(0.45);
	my %had;
	my %is = map { $_ => 1 } @parts;
	# A stack from before is no distractor where there is none of the sample itself.
	push @parts, grep { !$had{$_}++ && (!/_(user|kernel)$/ || $is{$1}) } map { pick(@distractors) } 1 .. int rand 4;
	return @parts;
}

sub layout_of {
	my ($number) = @_;
	srand($seed * 65536 + $number);
	my %layout = (number => $number, value => 'count', packed => 0, apart => 0, order => []);
	if (my $known = $known[$number]) {
		$layout{known} = 1;
		for my $word (split ' ', $known) {
			if ($word eq '2') {
				$layout{apart} = 1;
			} elsif ($word =~ /^=(.*)/) {
				$layout{value} = $1;
			} else {
				push @{$layout{order}}, $word;
			}
		}
		return \%layout;
	}
	my @parts = random_parts();
	$layout{packed} = chance(0.3) ? 1 : 0;
	$layout{apart} = chance(0.25) ? 1 : 0;
	$layout{value} = pick(@value_kinds);
	push @parts, pick(qw(flag port device)) if $layout{packed} && chance(0.6);
	$layout{order} = [shuffle(@parts)];
	return \%layout;
}

# Names as in real programs; sometimes meaningless ones. A thread alone is often called "pid".
sub name_fields {
	my ($layout) = @_;
	my %had;
	my $opaque = !$layout->{known} && chance(0.05);
	$layout->{opaque} = $opaque ? 1 : 0;
	my %is = map { $_ => 1 } @{$layout->{order}};
	for my $field (@{$layout->{fields}}) {
		my (undef, undef, @names) = @{$parts{$field->{part}}};
		@names = 'tgid' if $field->{part} eq 'tgid' && $is{tid};
		@names = ('tid', 'pid') if $field->{part} eq 'tid' && ($is{tgid} || chance(0.3));
		@names = $field->{part} =~ /^(.)\w*?_?(\w)\w*$/ ? "$1$2" : $field->{part} if $opaque;
		my $name = pick(@names) // "word";
		$field->{name} = $had{$name}++ ? $name . $had{$name} : $name;
	}
}

# Offsets as C has them.
sub place_fields {
	my ($layout) = @_;
	my ($at, $most) = (0, 1);
	for my $part (@{$layout->{order}}) {
		my ($type) = @{$parts{$part}};
		my ($base, $n) = $type =~ /^(\w+)(?:\[(\d+)\])?$/;
		my $align = $base eq 'char' ? 1 : substr($base, 1) / 8;
		my $size = $align * ($n // 1);
		$align = 1 if $layout->{packed};
		$most = $align if $align > $most;
		$at += -$at % $align;
		push @{$layout->{fields}}, {part => $part, type => $base, n => $n, size => $size, at => $at};
		$at += $size;
	}
	$layout->{size} = $at + -$at % $most;
}

sub declaration {
	my ($field) = @_;
	my $type = $field->{type} eq 'char' ? 'char' : "__$field->{type}";
	return "$type $field->{name}" . (defined $field->{n} ? "[$field->{n}]" : '') . ';';
}

sub layout_text {
	my ($layout) = @_;
	my $stacks = $layout->{apart} ? ', two stack maps' : '';
	return join(' ', ($layout->{packed} ? 'packed' : ()), map { "$_->{part}:" . declaration($_) } @{$layout->{fields}}) .
		" value: $layout->{value}$stacks";
}

sub write_layout {
	my ($out, $layout) = @_;
	my $n = $layout->{number};
	my ($type, $members, $sum, $added, $weight, $more) = @{$values{$layout->{value}}};
	my $per_cpu = $layout->{value} =~ /^per_cpu/;
	my $kind = $per_cpu ? 'BPF_MAP_TYPE_PERCPU_HASH' : 'BPF_MAP_TYPE_HASH';
	$layout->{weight} = $weight;
	$layout->{value_fields} = $value_fields{$layout->{value}} // [];
	$layout->{members} = $members;
	my $packed = $layout->{packed} ? ' __attribute__((packed))' : '';
	print $out "struct k$n {\n", map({ "\t" . declaration($_) . "\n" } @{$layout->{fields}}), "}$packed;\n";
	print $out "_Static_assert(sizeof(struct k$n) == $layout->{size}, \"layout\");\n";
	if ($type eq 'struct') {
		print $out "struct v$n {\n\t$members\n};\n";
		$type = "struct v$n";
	}
	print $out "NAMED_MAP(b$n, $kind, struct k$n, $type);\n" if $layout->{btf};
	print $out "RAW_MAP(r$n, $kind, sizeof(struct k$n), sizeof($type));\n\n";
	my $apart = $layout->{apart} ? '_APART' : '';
	my $empty = $type =~ /^struct/ ? "{}" : "0";
	print $out "static __always_inline void count_$n(const struct sample *s, void *room)\n{\n";
	print $out "\tstruct k$n *key = room;\n\t$type zero = $empty, *v;\n\n\t__builtin_memset(key, 0, sizeof(*key));\n";
	for my $field (@{$layout->{fields}}) {
		(my $from = $parts{$field->{part}}[1]) =~ s/STACK\((\w+)\)/$1$apart/;
		print $out defined $field->{n} ? "\t__builtin_memcpy(key->$field->{name}, $from, $field->{n});\n" :
			"\tkey->$field->{name} = $from;\n";
		print $out "\tkey->$field->{name}" . "[$field->{n} - 1] = 0;\n" if $field->{n};
	}
	$sum = $sum eq 'v' ? '*v' : $sum;
	for my $map ($layout->{btf} ? "b$n" : (), "r$n") {
		print $out "\tbpf_map_update_elem(&$map, key, &zero, BPF_NOEXIST);\n",
			"\tv = bpf_map_lookup_elem(&$map, key);\n\tif (v) {\n\t\t$sum += $added;\n",
			($more ? "\t\t$more\n" : ''), "\t}\n";
	}
	print $out "}\n\n";
}

sub write_program {
	my ($i, @layouts) = @_;
	srand($seed * 1024 + $i);
	my $slots = pick(16384, 16384, 16384, 4096, 1024);
	open(my $out, '>', "$directory/$i.bpf.c") or die "$directory/$i.bpf.c: $!\n";
	print $out "// SPDX-License-Identifier: GPL-2.0-or-later\n#define STACK_SLOTS $slots\n#include \"layouts.h\"\n\n";
	write_layout($out, $_) for @layouts;
	print $out "static __always_inline void count_all(const struct sample *s, void *room)\n{\n";
	print $out map({ "\tcount_$_->{number}(s, room);\n" } @layouts), "}\n";
	close($out) or die "$directory/$i.bpf.c: $!\n";
}

# Of few layouts half are known ones, by chance.
my @numbers = 0 .. $wanted - 1;
if ($only) {
	my %had;
	@numbers = grep { !$had{$_}++ } split /,/, $only;
} elsif ($wanted < 2 * @known) {
	srand($seed);
	my @some = (shuffle(0 .. $#known))[0 .. int($wanted / 2) - 1];
	@numbers = (sort({ $a <=> $b } @some), map { @known + $_ } 0 .. $wanted - @some - 1);
}
srand($seed);
my (@layouts, @programs);
for my $number (shuffle(@numbers)) {
	my $layout = layout_of($number);
	place_fields($layout);
	$layout->{btf} = grep(/^word_/, @{$layout->{order}}) ? 0 : 1;
	name_fields($layout);
	$layout->{text} = layout_text($layout);
	push @layouts, $layout;
}
while (my @some = splice @layouts, 0, $maps_per_program) {
	write_program(scalar @programs, @some);
	push @programs, \@some;
}
open(my $out, '>', "$directory/layouts.json") or die "$directory/layouts.json: $!\n";
print $out JSON::PP->new->canonical->encode(\@programs);
close($out) or die "$directory/layouts.json: $!\n";
