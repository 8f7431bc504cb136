#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
# layouts_check.pl PROGRAM MODE: reads in the working directory what was captured of the layouts of one generated
# program (tests/e2e/layouts.pl), in all forms, and compares each output with the truth:
#
#	layouts.json		the layouts; PROGRAM is the number of the program
#	MAP.txt MAP.-j MAP.-p	dumps of its maps
#	ids			"MAP ID" lines, for live readings
#
# Each reading that a refusal lists is pasted. Prints what it found, an object a line, for layouts_sum.pl; what is
# wrong is kept in $S2L_LAYOUTS_KEEP.
use strict;
use warnings;
use Fcntl qw(:flock);
use File::Copy;
use File::Path qw(make_path);
use JSON::PP;
use Text::ParseWords qw(shellwords);

my ($program, $mode) = @ARGV;
my $paste_max = 80;     # readings of one map
my $workers = 2;
my $stack2line = $ENV{STACK2LINE};
my $keep = $ENV{S2L_LAYOUTS_KEEP};

sub contents {
	my ($file) = @_;
	open(my $in, '<', $file) or die "$file: $!\n";
	local $/;
	return scalar <$in>;
}

my $layouts = decode_json(contents('layouts.json'))->[$program];
my %id = map { split } split /\n/, contents('ids');

# ---- dumps -----------------------------------------------------------------------------------

sub bytes_of { return pack 'C*', map { hex } $_[0] =~ /0x([0-9a-f]{2})/g }

my %read;

# [KEY, VALUE, …] of each entry of `bpftool -j map dump`.
sub entries_of {
	my ($map) = @_;
	my @entries;
	return @{$read{$map}} if $read{$map};
	for my $text (split /\{"key":\[/, contents("$map.-j")) {
		$text =~ s/,"formatted":.*//s;
		my ($key, $rest) = $text =~ /^([^\]]*)\],(.*)/s or next;
		push @entries, [bytes_of($key), map { bytes_of($_) } $rest =~ /"value":\[([^\]]*)\]/g];
	}
	$read{$map} = \@entries;
	return @entries;
}

my @truth;
for (entries_of('truth')) {
	my %row;
	@row{qw(tgid tid user kernel user_apart kernel_apart program comm)} = unpack 'LLllllLZ16', $_->[0];
	@row{qw(count size delta)} = unpack 'QQQ', $_->[1];
	push @truth, \%row;
}
my %process_of = map { $_->{tid} => $_->{tgid} } @truth;

# The process of a thread, of the system's others too; undefined for the first one of a process.
sub process_of {
	my ($number) = @_;
	if (!exists $process_of{$number}) {
		my $status = -e "/proc/$number/status" ? contents("/proc/$number/status") : '';
		$process_of{$number} = $status =~ /^Tgid:\s+(\d+)/m ? $1 : $number;
	}
	return $process_of{$number} == $number ? undef : $process_of{$number};
}

my @program_names = ('sh', 'alpha', 'beta');

# Returns true if the process or thread still runs, and runs the program.
sub lives {
	my ($row, $number) = @_;
	my $program = readlink("/proc/$number/exe") // '';
	return $row->{program} ? $program =~ /\/$program_names[$row->{program}]$/ : $program =~ /sh$/;
}

# ---- samples ---------------------------------------------------------------------------------

# A stack in JSON: its ID, or "-".
sub stack_of {
	my ($text) = @_;
	return $text =~ /^\{"state":"(?:present|lost-id)","id":(\d+)/ ? $1 : '-';
}

sub samples_of {
	my ($output) = @_;
	my @samples;
	for my $line (split /\n/, $output) {
		next unless $line =~ /^\{"schema":1,/;
		my ($head, $user, $kernel) = $line =~ /^(.*?)(?:,"user":(\{.*?))?(?:,"kernel":(\{"state".*))?\}$/;
		my %sample = (user => stack_of($user // ''), kernel => stack_of($kernel // ''));
		for my $name (qw(pid tid weight)) {
			$sample{$name} = $1 if $head =~ /"$name":(-?\d+)/;
		}
		$sample{comm} = $1 if $head =~ /"comm":"((?:[^"\\]|\\.)*)"/;
		$sample{missing} = 1 if $line =~ /"state":"lost-id"/;
		$sample{mixed} = 1 if ($user // '') =~ /"address":"0xffff/ || ($kernel // '') =~ /"address":"0x[0-9a-f]{1,12}"/;
		my %programs = map { ($_ eq 'alpha' ? 1 : 2) => 1 } ($user // '') =~ /"function":"(alpha|beta)_/g;
		$sample{programs} = [keys %programs];
		push @samples, \%sample;
	}
	return \@samples;
}

sub pair_of { return "user $_[0]{user}, kernel $_[0]{kernel}" }

# ---- against the truth -----------------------------------------------------------------------

sub has_part {
	my ($layout, @parts) = @_;
	my %wanted = map { $_ => 1 } @parts;
	return grep { $wanted{$_->{part}} } @{$layout->{fields}}, @{$layout->{value_fields}};
}

# What the samples should be: by pair of stacks the sums of processes, threads, programs and names.
sub expected {
	my ($layout) = @_;
	return as_said($layout, "r$layout->{number}")->{pairs} if $layout->{value} eq 'set';
	my $apart = $layout->{apart} ? '_apart' : '';
	my ($user, $kernel) = (scalar has_part($layout, qw(user word_user)), scalar has_part($layout, qw(kernel word_kernel)));
	my %pairs;
	for my $row (@truth) {
		my $u = $user ? $row->{"user$apart"} : -1;
		my $k = $kernel ? $row->{"kernel$apart"} : -1;
		my $weight = $row->{$layout->{weight}};
		my $pair = $pairs{pair_of({user => $u < 0 ? '-' : $u, kernel => $k < 0 ? '-' : $k})} //= {sum => 0};
		$pair->{sum} += $weight;
		$pair->{pid}{$row->{tgid}} += $weight;
		$pair->{tid}{$row->{tid}} += $weight;
		$pair->{program}{$row->{tgid}}{$row->{program}} = 1;
		$pair->{comm}{$row->{comm}} = 1;
		$pair->{user} = 1 if $u >= 0;
	}
	return \%pairs;
}

# The sums of output.
sub added {
	my ($samples) = @_;
	my %pairs;
	for my $sample (@$samples) {
		my $pair = $pairs{pair_of($sample)} //= {sum => 0};
		$pair->{sum} += $sample->{weight};
		for my $name (qw(pid tid)) {
			$pair->{$name}{$sample->{$name}} += $sample->{weight} if defined $sample->{$name};
		}
	}
	return \%pairs;
}

# Whether one side of all stacks is missing in GOT.
sub lacks_side {
	my ($got, $wanted) = @_;
	for my $side (qw(user kernel)) {
		my $none = qr/\b$side -/;
		return $side if %$got && !grep({ !/$none/ } keys %$got) && grep({ !/$none/ } keys %$wanted);
	}
	return undef;
}

# Pairs without weight are not printed.
sub drop_empty {
	my ($pairs) = @_;
	delete @$pairs{grep { !$pairs->{$_}{sum} } keys %$pairs};
}

# Differences in stacks and sums.
sub differ {
	my ($got, $wanted) = @_;
	my ($sum, $all) = (0, 0);
	drop_empty($_) for $got, $wanted;
	$sum += $_->{sum} for values %$got;
	$all += $_->{sum} for values %$wanted;
	if (my $side = lacks_side($got, $wanted)) {
		return ['side', "no $side stack was read"];
	}
	for (sort keys %$got) {
		return ['stack', "no such stacks: $_ (sum $got->{$_}{sum})"] if !$wanted->{$_};
	}
	return ['sum', "all weigh $sum, not $all"] if $sum != $all;
	for (sort keys %$wanted) {
		my $is = $got->{$_} ? $got->{$_}{sum} : 0;
		return ['stack', "$_ weigh $is, not $wanted->{$_}{sum}"] if $is != $wanted->{$_}{sum};
	}
	for my $name (qw(pid tid)) {
		for my $pair (sort keys %$got) {
			next if $wanted->{$pair}{open}{$name};
			my $sums = $got->{$pair}{$name} // {};
			for (sort keys %$sums) {
				my $is = $wanted->{$pair}{$name}{$_} // 0;
				return [$name, "$name $_ with $pair weighs $sums->{$_}, not $is"] if $sums->{$_} > $is;
			}
		}
	}
	return undef;
}

# A process is called so: the name that is used where the comm is not known.
sub is_name_of {
	my ($comm, $pid) = @_;
	return defined $pid && -e "/proc/$pid/comm" && contents("/proc/$pid/comm") eq "$comm\n";
}

# [CLASS, MESSAGE] if the samples are not the layout's truth.
sub wrong {
	my ($layout, $samples) = @_;
	my $wanted = expected($layout);
	for my $sample (@$samples) {
		return ['stack', 'addresses of the other side in ' . pair_of($sample)] if $sample->{mixed};
		return ['stack', 'a stack is said to be missing: ' . pair_of($sample)] if $sample->{missing};
	}
	my $difference = differ(added($samples), $wanted);
	return $difference if $difference;
	my $named = has_part($layout, 'comm') || $layout->{value} eq 'delta_comm';
	for my $sample (@$samples) {
		my $pair = $wanted->{pair_of($sample)};
		next if $layout->{value} eq 'set'; # the truth of each entry is not kept
		my $programs = defined $sample->{pid} ? $pair->{program}{$sample->{pid}} // {} : {};
		for (@{$sample->{programs}}) {
			return ['name', sprintf('functions of program %d in process %s, %s', $_, $sample->{pid} // '-', pair_of($sample))]
				if !$programs->{$_};
		}
		next unless defined $sample->{comm};
		return ['comm', "comm $sample->{comm} is a tag"] if $sample->{comm} =~ /^(?:GET |queue-|\/usr\/lib|put$|eth0)/;
		next if !$named || $pair->{comm}{$sample->{comm}} || is_name_of($sample->{comm}, $sample->{pid});
		return ['comm', "comm $sample->{comm} with " . pair_of($sample)];
	}
	return undef;
}

# The part of the weight of living processes whose process is said, where the layout has it. Undefined without any.
sub named_part {
	my ($layout, $samples) = @_;
	my $threads = !has_part($layout, qw(tgid tgid64 pid_tgid));
	return undef if $threads && !has_part($layout, qw(tid word_user));
	return undef if !has_part($layout, qw(user word_user)) || $layout->{value} eq 'set';
	my $apart = $layout->{apart} ? '_apart' : '';
	my ($all, $named, %said) = (0, 0);
	for my $row (@truth) {
		next if $row->{"user$apart"} < 0 || !lives($row, $threads ? $row->{tid} : $row->{tgid});
		$all += $row->{$layout->{weight}};
		$said{$row->{tgid}}{$row->{program}} = 1;
	}
	for my $sample (@$samples) {
		my $programs = $sample->{user} ne '-' && defined $sample->{pid} && $said{$sample->{pid}} or next;
		my ($program) = @{$sample->{programs}};
		$named += $sample->{weight} if $programs->{$program // 0};
	}
	return $all ? $named / $all : undef;
}

# ---- against the text of a reading -----------------------------------------------------------

my %size_of = (u8 => 1, s8 => 1, char => 1, u16 => 2, s16 => 2, u32 => 4, s32 => 4, u64 => 8, s64 => 8);
my %unpack_of = (1 => 'C', 2 => 'v', 4 => 'V', 8 => 'Q<');

# A declaration of bytes as fields with offsets.
sub parse_layout {
	my ($text) = @_;
	my ($at, @fields) = (0);
	for my $part (split /\s*;\s*/, $text) {
		my ($type, $names) = $part =~ /^\s*(\w+)\s+(.*)$/ or return undef;
		my $size = $size_of{$type =~ s/^__//r} or return undef;
		for my $one (split /\s*,\s*/, $names) {
			my ($name, $n, $there) = $one =~ /^(\w+)(?:\[(\d*)\])?(?:@(\d+))?$/ or return undef;
			$at = $there // $at + -$at % $size;
			push @fields, {name => $name, type => $type, size => $size, n => $n, at => $at};
			$at += $size * ($n // 1 || 0);
		}
	}
	return \@fields;
}

my %names_of = (
	user => [qw(user ustack usid user_stack user_stack_id)],
	kernel => [qw(kernel kstack ksid kernel_stack kernel_stack_id kern_stack_id)],
	stack => [qw(stack stack_id)],
	pid => [qw(pid tgid pid_or_tid)],
	tid => [qw(tid)],
	pid_tgid => [qw(pid_tgid)],
	weight => [qw(weight value count slots delta size total_ns)],
);
my %role_of;
for my $role (keys %names_of) {
	$role_of{$_} = $role for @{$names_of{$role}};
}
my %role_of_part = (tgid => 'pid', tgid64 => 'pid', tid => 'tid', pid_tgid => 'pid_tgid', user => 'user',
	kernel => 'kernel', word_kernel => 'kernel', word_user => 'word');

sub number {
	my ($bytes, $field) = @_;
	my $number = unpack $unpack_of{$field->{size}}, substr $bytes, $field->{at}, $field->{size};
	return $field->{type} =~ /^s/ && $number >= 2**($field->{size} * 8 - 1) ? $number - 2**($field->{size} * 8) : $number;
}

# The fields of parts that have a role, by role.
sub roles_of_parts {
	return map { $role_of_part{$_->{part}} ? ($role_of_part{$_->{part}} => $_) : () } @_;
}

# The fields of a layout in which a role was found by name, but for the weight.
sub roles_of_names {
	return map { ($role_of{$_->{name}} // 'weight') ne 'weight' ? ($role_of{$_->{name}} => $_) : () } @_;
}

# --key: FIELDS are those of the key and of the value. False if one is not known.
sub assign_roles {
	my ($roles, $text, $key_fields, $value_fields) = @_;
	for (split /,/, $text) {
		my ($role, $name) = /^(\w+)=(?:[\w.]*\.)?(\w+)$/ or return 0;
		my ($in_key) = grep { $_->{name} eq $name } @$key_fields;
		my ($in_value) = grep { $_->{name} eq $name } @$value_fields;
		if ($role eq 'weight') {
			$roles->{weight} = $in_value;
		} elsif ($in_key || $in_value) {
			delete $roles->{key}{pid_tgid} if $role eq 'pid';
			delete @{$roles->{key}}{qw(pid tid)} if $role eq 'pid_tgid';
			delete $roles->{key}{stack} if $role eq 'user' || $role eq 'kernel';
			$roles->{$in_key ? 'key' : 'in_value'}{$role} = $in_key // $in_value;
		} else {
			return 0;
		}
	}
	return 1;
}

# Returns the fields of key and value by role, as OPTIONS assign them; other roles are the true ones, unless names do
# not show them. Undefined if a text is not known.
sub roles_of {
	my ($layout, @options) = @_;
	my @key_fields = map { +{%$_, size => $size_of{$_->{type}}} } @{$layout->{fields}};
	my @value_fields = @{parse_layout($layout->{members}) // []};
	my %roles = (key => {roles_of_parts(@key_fields)}, in_value => {roles_of_parts(@{$layout->{value_fields}})});
	$roles{key} = {} if $layout->{opaque} && grep { /^--key=/ } @options;
	for (@options) {
		if (/^--key-layout=(.*)/s) {
			@key_fields = @{parse_layout($1) // return undef};
			$roles{key} = {roles_of_names(@key_fields)};
		} elsif (/^--value-layout=(.*)/s) {
			@value_fields = @{parse_layout($1) // return undef};
			$roles{in_value} = {roles_of_names(@value_fields)};
			($roles{weight}) = grep { ($role_of{$_->{name}} // '') eq 'weight' } @value_fields;
			$roles{weight} //= 'once';
		}
	}
	for (@options) {
		return undef if !/^--(?:key|key-layout|value-layout|per-cpu)=/;
		return undef if /^--key=(.*)/s && !assign_roles(\%roles, $1, \@key_fields, \@value_fields);
	}
	return \%roles;
}

sub weight_of {
	my ($layout, $field, $value) = @_;
	return 1 if defined $field ? $field eq 'once' : $layout->{value} eq 'set';
	if ($field) {
		my $sum = 0;
		$sum += number($value, {%$field, at => $field->{at} + $_ * $field->{size}}) for 0 .. ($field->{n} // 1) - 1;
		return $sum;
	}
	my %plain = (count32 => 'L', per_cpu32 => 'L', cpu_count => 'x4L', small_allocation => 'x4L');
	return unpack $plain{$layout->{value}} // 'Q', $value;
}

# What the options make of the entries, in the form of expected().
sub as_said {
	my ($layout, $map, @options) = @_;
	my $roles = roles_of($layout, @options) or return undef;
	my $one = $roles->{key}{stack} || $roles->{in_value}{stack} ? 1 : 0;
	my %pairs;
	for (entries_of($map)) {
		my ($key, @values) = @$_;
		my $weight = 0;
		$weight += weight_of($layout, $roles->{weight}, $_) for @values;
		my %is = map { $_ => number($key, $roles->{key}{$_}) } grep { $_ ne 'comm' } keys %{$roles->{key}};
		$is{$_} = number($values[0], $roles->{in_value}{$_}) for grep { $_ ne 'comm' } keys %{$roles->{in_value}};
		if (my $word = $roles->{key}{word}) {
			my ($low, $high) = unpack 'lL', substr $key, $word->{at}, 8;
			($is{user}, $is{tid}) = $low < 0 ? -1 : ($low, $high);
		}
		for (qw(user kernel stack)) {
			$is{$_} = unpack 'l', pack 'l', $is{$_} & 0xffffffff if defined $is{$_};
			$is{$_} = defined $is{$_} && $is{$_} >= 0 ? $is{$_} : '-';
		}
		($is{pid}, $is{tid}) = ($is{pid_tgid} >> 32, $is{pid_tgid} & 0xffffffff) if defined $is{pid_tgid};
		my $pair = $pairs{$one ? $is{stack} : pair_of(\%is)} //= {sum => 0};
		$pair->{sum} += $weight;
		# A thread's process is looked up.
		$pair->{open}{pid} = 1 if !defined $is{pid} && (defined $is{tid} || $layout->{opaque});
		$pair->{open}{tid} = 1 if !defined $is{tid} && $layout->{opaque};
		$pair->{pid}{$is{pid}} += $weight if defined $is{pid};
		# The number of a thread is read as that of its process.
		my $process = defined $is{pid} ? process_of($is{pid}) : undef;
		$pair->{pid}{$process} += $weight if $process;
		$pair->{tid}{$is{tid}} += $weight if defined $is{tid};
		$pair->{tid} //= $pair->{pid};
	}
	my %both = (%{$roles->{key}}, %{$roles->{in_value}});
	my @unsaid = $layout->{opaque} ? grep { !$both{$_} } qw(user kernel) : ();
	return {pairs => \%pairs, one => $one, unsaid => \@unsaid};
}

# Does the same for samples, where a reading has stacks of either side.
sub one_stack {
	my ($samples) = @_;
	return [map { my $s = $_; +{%$s, both => $s->{user} ne '-' ? $s->{user} : $s->{kernel}} } @$samples];
}

sub against_text {
	my ($layout, $map, $samples, @options) = @_;
	my $said = as_said($layout, $map, @options) or return ['unknown', 'a text that is not known'];
	my $got = added([map { my %s = %$_; @s{@{$said->{unsaid}}} = ('-') x @{$said->{unsaid}}; \%s } @$samples]);
	if ($said->{one}) {
		my %one;
		for (@{one_stack($samples)}) {
			my $pair = $one{$_->{both}} //= {sum => 0};
			$pair->{sum} += $_->{weight};
			$pair->{pid}{$_->{pid}} += $_->{weight} if defined $_->{pid};
			$pair->{tid}{$_->{tid}} += $_->{weight} if defined $_->{tid};
		}
		$got = \%one;
	}
	return differ($got, $said->{pairs});
}

# ---- runs ------------------------------------------------------------------------------------

sub lock_of {
	my ($name) = @_;
	open(my $lock, ">>", "$name.lock") or die "$name.lock: $!\n";
	flock($lock, LOCK_EX) or die "$name.lock: $!\n";
	return $lock;
}

sub run {
	my (@arguments) = @_;
	# A stack that one process reads is missing for another that reads it at the same time: bpf_stackmap_copy().
	my $turn = $arguments[-1] =~ /^--map=/ ? lock_of("live") : undef;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open(STDOUT, '>', "out.$$") or exit 99;
		open(STDERR, '>', "err.$$") or exit 99;
		alarm 60;
		exec $stack2line, '--json', '--kallsyms=/dev/null', @arguments;
		exit 99;
	}
	waitpid $pid, 0;
	my ($status, $out, $err) = ($?, contents("out.$pid"), contents("err.$pid"));
	unlink "out.$pid", "err.$pid";
	$status = $status & 127 ? "signal " . ($status & 127) : $status >> 8;
	return {status => $status, out => $out, err => $err, arguments => [@arguments],
		refused => $status eq '2' && $out eq '' ? 1 : 0};
}

# The options that a refusal lists, with what it says of them.
sub readings {
	my ($run) = @_;
	return map { s/ \([^']*\)$//r } $run->{err} =~ /: possible reading: (.*)/g;
}

my $pasted; # of the map

# What is wrong with a reading: its text, or what the text leaves open.
sub bad_class {
	my ($layout, $class, @options) = @_;
	return $class if $class eq 'unknown';
	my $option = $class eq 'sum' ? qr/^--value-layout=|weight=/ : qr/^--key-layout=/;
	return grep({ /$option/ } @options) ? 'untrue' : "wrong-$class";
}

# Pastes what RUN lists: counts it in RESULT, with what is not accepted or is not as its text.
sub paste {
	my ($result, $layout, $map, $run, $inputs, @options) = @_;
	my $true = 0;
	for my $reading (readings($run)) {
		last if $pasted++ >= $paste_max;
		my @more = shellwords($reading);
		my @all = (@more, @options);
		my $next = run(@all, @$inputs);
		if ($next->{refused}) {
			if (@options > 2 || !readings($next)) {
				$result->{bad} //= ['rejected', "$reading: " . ($next->{err} =~ /^(.*)/)[0], $next];
			} else {
				$true |= paste($result, $layout, $map, $next, $inputs, @all);
			}
			next;
		}
		if ($next->{status} ne '0') {
			$result->{bad} //= ['rejected', "$reading: status $next->{status}: " . ($next->{err} =~ /^(.*)/)[0], $next];
			next;
		}
		my $samples = samples_of($next->{out});
		my $difference = against_text($layout, $map, $samples, @all);
		$result->{bad} //= [bad_class($layout, $difference->[0], @all), "@all: $difference->[1]", $next] if $difference;
		$true = 1 if !wrong($layout, $samples) && (named_part($layout, $samples) // 1) >= 0.99;
	}
	return $true;
}

sub is_unaligned {
	my ($layout) = @_;
	return scalar grep { ($_->{at} % 4) && $role_of_part{$_->{part}} } @{$layout->{fields}};
}

# What makes a layout hard to read without BTF.
sub kind_of {
	my ($layout) = @_;
	for (has_part($layout, qw(older_user other_user older_kernel other_kernel))) {
		return 'second stack' if has_part($layout, $_->{part} =~ /_(user|kernel)$/);
	}
	return 'unaligned' if is_unaligned($layout);
	return 'two numbers' if $layout->{value} =~ /^(?:cpu_count|count_time|small_allocation)$/;
	return 'no process' if !has_part($layout, qw(tgid tgid64 pid_tgid tid word_user));
	return 'plain';
}

# ---- what is kept ----------------------------------------------------------------------------

my %kept;

sub quoted { return join ' ', map { /^[\w.,:=\/-]+$/ ? $_ : "'" . s/'/'\\''/gr . "'" } @_ }

sub keep {
	my ($class, $layout, $variant, $run, $message) = @_;
	return if !$keep || $kept{"$class $layout->{number} $variant"}++;
	my $folder = "$keep/$class/seed$ENV{S2L_LAYOUTS_SEED}-layout$layout->{number}-$variant-$mode";
	make_path($folder);
	my $map = ($variant eq 'btf' ? 'b' : 'r') . $layout->{number};
	for my $file ((map { "$_.-j" } $map, qw(stacks ustacks kstacks truth)), "$map.txt", "$map.-p", 'recording') {
		copy($file, "$folder/$file") if -e $file;
	}
	my @arguments = map { /^--map=id:(\d+)$/ ? map_named($1) : $_ } @{$run->{arguments}};
	open(my $out, '>', "$folder/README") or die "$folder/README: $!\n";
	print $out "$message\n$layout->{number}, $variant, $mode: $layout->{text}\n\nwith the processes as they were recorded:\n",
		"cd $folder && stack2line --json --kallsyms=/dev/null --recording=recording ", quoted(@arguments),
		"\n\nanew:\nS2L_LAYOUTS_SEED=$ENV{S2L_LAYOUTS_SEED} S2L_LAYOUTS_ONLY=$layout->{number} S2L_LAYOUTS_MODES=$mode ",
		"bash tests/e2e/layouts.test\n\nit said:\n$run->{err}";
	close($out);
	open($out, '>', "$folder/out.json") or die "$folder/out.json: $!\n";
	print $out $run->{out};
	close($out);
}

sub map_named {
	my ($number) = @_;
	my ($name) = grep { $id{$_} eq $number } keys %id;
	return "$name.-j";
}

# ---- one map ---------------------------------------------------------------------------------

sub inputs_of {
	my ($layout, $map, $form) = @_;
	my @maps = ($layout->{apart} ? ('ustacks', 'kstacks') : 'stacks');
	return map { "--map=id:$id{$_}" } @maps, $map if $form eq 'live';
	return ((map { "$_.-j" } @maps), "$map.$form");
}

sub check_form {
	my ($result, $layout, $map, $variant, $form) = @_;
	my @inputs = inputs_of($layout, $map, $form);
	my $run = run(@inputs);
	if ($run->{refused}) {
		$result->{run} = $run;
		return 'refused' if $result->{refused}++;
		$pasted = 0;
		my $true = paste($result, $layout, $map, $run, \@inputs);
		# A packed struct may begin its fields anywhere: the option that declares them is what helps.
		$true = 1 if ($layout->{packed} || is_unaligned($layout)) && $run->{err} =~ /--key-layout\b.*@/;
		$true = 1 if @{$layout->{value_fields}} && $run->{err} =~ /--value-layout\b.*@/;
		$result->{unlisted} = 1 if !$true;
		keep('unlisted', $layout, $variant, $run, 'none of the readings is the true one') if !$true;
		keep($result->{bad}[0], $layout, $variant, $result->{bad}[2], $result->{bad}[1]) if $result->{bad};
		return 'refused';
	}
	if ($run->{status} ne '0') {
		$result->{wrong} //= ['failed', "status $run->{status}: " . ($run->{err} =~ /^(.*)/)[0]];
		keep('failed', $layout, $variant, $run, $result->{wrong}[1]);
		return 'failed';
	}
	my $samples = samples_of($run->{out});
	my $wrong = wrong($layout, $samples);
	my $named = named_part($layout, $samples);
	if ($wrong) {
		$result->{wrong} //= $wrong;
		keep("wrong-$wrong->[0]", $layout, $variant, $run, $wrong->[1]);
		return "wrong $wrong->[0]";
	}
	$result->{named} = $named if defined $named && $named < ($result->{named} // 2);
	keep('no-process', $layout, $variant, $run, 'living processes are not named') if defined $named && $named < 0.99;
	return 'right';
}

sub check_map {
	my ($layout, $variant) = @_;
	my $map = ($variant eq 'btf' ? 'b' : 'r') . $layout->{number};
	my %result = (seed => $ENV{S2L_LAYOUTS_SEED}, number => $layout->{number}, variant => $variant, mode => $mode,
		layout => $layout->{text}, kind => kind_of($layout), refused => 0);
	my (%said, $last);
	for my $form (split ' ', $ENV{S2L_LAYOUTS_FORMS} // 'txt -j -p live') {
		$last = $said{check_form(\%result, $layout, $map, $variant, $form)} .= " $form";
	}
	$result{forms} = join ';', map { "$_:$said{$_}" } sort keys %said if keys %said > 1;
	if ($result{run}) {
		$result{said} = ($result{run}{err} =~ /^(.*)/)[0];
		keep('forms', $layout, $variant, $result{run}, $result{forms}) if $result{forms};
	}
	delete $result{run};
	pop @{$result{bad}} if $result{bad};
	return \%result;
}

$| = 1;
my @all = map { my $l = $_; map { [$l, $_] } $l->{btf} ? ('btf', 'raw') : 'raw' } @$layouts;
my @children;
for my $worker (0 .. $workers - 1) {
	my $pid = fork // die "fork: $!\n";
	push @children, $pid;
	next if $pid;
	for (my $i = $worker; $i < @all; $i += $workers) {
		syswrite STDOUT, JSON::PP->new->canonical->encode(check_map(@{$all[$i]})) . "\n";
	}
	exit 0;
}
my $failed = 0;
for (@children) {
	waitpid $_, 0;
	$failed |= $?;
}
exit($failed ? 1 : 0);
