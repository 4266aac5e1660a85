#!/usr/bin/perl
# Runs an agent and tells the Chorus listener that it began and how it ended: launch.pl PROGRAM ARGUMENTS...
# To the shell above and the agent below it is as if it were not there: signals, suspension and the exit code pass through.
# "--keep" PROGRAM ARGUMENTS... runs before the Node that becomes this in the end: what Node would take from the agent, which are
# files by number and signals that are ignored, is put where it does not look.
use strict;

# Node leaves alone what stands above its own.
my $aside = 64;
if (@ARGV && $ARGV[0] eq '--keep') {
    shift @ARGV;
    keep();
    exec { $ARGV[0] } @ARGV;
    print STDERR "chorus: cannot start $ARGV[0]: $!\n";
    exit 127;
}

my @command = @ARGV;
my @files = split /,/, delete $ENV{CHORUS_FILES} // '';
my ($socket, $terminal, $agent) = @ENV{qw(CHORUS_SOCK CHORUS_TERMINAL_ID CHORUS_AGENT)};
my $child;
my $pipe = open_pipe();

# Node, which ran before this in the same process, makes what it opens non-blocking; the agent gets it as it was given to us.
my $non_blocking = $^O eq 'darwin' ? 4 : 2048;
my %given = map { $_ => 1 } split /,/, delete $ENV{CHORUS_NON_BLOCKING} // '';
for my $stream (*STDIN, *STDOUT, *STDERR) {
    my $flags = fcntl $stream, 3, 0;
    fcntl $stream, 4, $flags & ~$non_blocking if $flags && !$given{fileno $stream};
}

# How the terminal was, for an agent that does not live to set it back. The requests and the size of their answer differ by system.
my ($get, $set, $size) = $^O eq 'darwin' ? (0x40487413, 0x80487415, 72) : (0x5401, 0x5403, 60);
my $found = "\0" x $size;
$found = undef unless -t STDIN && ioctl STDIN, $get, $found;

# Handlers, not 'IGNORE': the agent inherits what is ignored, but starts with defaults where there was a handler.
$SIG{$_} = sub { } for qw(TSTP PIPE);
# The terminal sends these to the agent itself; a program that sends them here means the agent.
for my $signal (qw(INT QUIT)) {
    $SIG{$signal} = sub { kill $signal, $child if $child && !in_front() };
}
my $hung_up = 0;
for my $signal (qw(TERM HUP USR1 USR2)) {
    $SIG{$signal} = sub { $hung_up ||= $signal eq 'HUP'; kill $signal, $child if $child };
}

# Also for the agent, as it would be without us.
$SIG{$_} = 'IGNORE' for split /,/, delete $ENV{CHORUS_IGNORED} // '';

# Before the agent is there: whatever it says comes after.
my $began = stamp();
defined($child = fork) or die "chorus: cannot start $command[0]: $!\n";
if ($child == 0) {
    give_back();
    $ENV{CHORUS_AGENT_PID} = $$;
    exec { $command[0] } @command;
    print STDERR "chorus: cannot start $command[0]: $!\n";
    exit 127;
}
let_go();
say_line('idle', join(',', '"pid":' . $$, place()), $began);

my $status;
while (1) {
    my $waited = waitpid $child, 2;    # 2: also return when it was stopped
    $status = $?;
    # One that has ended is gone once it was waited for; one that is still there was stopped.
    last unless $waited == $child && kill 0, $child;
    kill 'STOP', $$;
    kill 'CONT', $child;
}
my ($signal, $code) = ($status & 0x7f, $status >> 8);
my @names = signal_names();
# The terminal may be gone before we are told.
$hung_up ||= defined $found && !ioctl STDIN, $get, my $now = "\0" x $size;
if ($hung_up && $code) {
    # An agent that takes the signal itself ends with a code of its own; nothing of it failed.
    say_line('exited', '"exitCode":129,"reason":"killed by SIGHUP"');
} elsif ($signal == 2 || $code == 130) {
    say_line('exited', '"reason":"ended with Ctrl-C"');
} elsif ($signal) {
    say_line('exited', '"exitCode":' . (128 + $signal) . ',"reason":"killed by SIG' . ($names[$signal] || $signal) . '"');
} elsif ($code > 128 && $names[$code - 128]) {
    say_line('exited', "\"exitCode\":$code,\"reason\":\"ended by SIG$names[$code - 128]\"");
} elsif ($code) {
    say_line('exited', "\"exitCode\":$code,\"reason\":\"ended with exit code $code\"");
} else {
    say_line('exited', '"exitCode":0');
}
close_pipe() if $pipe;
restore_terminal() if $signal > 2 || $code > 130;
# By a signal as the agent did, which some who wait for it tell from a code; a shell, so that it leaves no memory of ours on the disk.
exec '/bin/sh', '-c', "ulimit -c 0; kill -$signal \$\$" if $signal;
exit($signal ? 128 + $signal : $code);

# Whether what is typed in our terminal is for us: Ctrl-C too.
sub in_front {
    open my $tty, '<', '/dev/tty' or return 0;
    my $group = pack 'i', 0;
    return ioctl($tty, $^O eq 'darwin' ? 0x40047477 : 0x540F, $group) && unpack('i', $group) == getpgrp;
}

sub keep {
    opendir my $open, '/dev/fd' or return;
    my @open = grep { /^\d+$/ && $_ > 2 && $_ < $aside } readdir $open;
    closedir $open;
    my @ignored = grep { ($SIG{$_} // '') eq 'IGNORE' } qw(HUP INT QUIT TERM PIPE USR1 USR2 TSTP TTIN TTOU);
    $ENV{CHORUS_IGNORED} = join ',', @ignored if @ignored;
    # The folder itself was one of them.
    return if @open < 2;
    require POSIX;
    my @kept = grep { !-e "/dev/fd/" . ($_ + $aside) && POSIX::dup2($_, $_ + $aside) } @open;
    $ENV{CHORUS_FILES} = join ',', @kept if @kept;
}

sub give_back {
    require POSIX if @files;
    POSIX::dup2($_ + $aside, $_) for @files;
    let_go();
}

sub let_go {
    require POSIX if @files;
    POSIX::close($_ + $aside) for @files;
}

# Where it was started, for a later launch that asks what was last done there.
sub place {
    require Cwd;
    my %known = (tab => $ENV{CHORUS_TAB}, folder => Cwd::getcwd(), version => $ENV{CHORUS_AGENT_VERSION});
    my @facts = map { "\"$_\":" . json($known{$_}) } grep { defined $known{$_} && $known{$_} ne '' } sort keys %known;
    return (@facts, $ENV{CHORUS_ONCE} ? '"once":true' : ());
}

sub say_line {
    my ($event, $facts, $at) = @_;
    return unless defined $socket && defined $terminal && defined $agent;
    $at //= stamp();
    my $line = '{"event":"' . $event . '","agent":' . json($agent) . ',"terminalId":' . json($terminal) . ",$at\"source\":\"launch\",$facts}\n";
    say_later($line) unless said($line) || !-e "$socket.log";
}

# Without a clock finer than seconds the listener's own is better.
sub stamp { return eval { require Time::HiRes } ? sprintf('"at":%d,', Time::HiRes::time() * 1000) : '' }

# A listener that is there but takes nothing is not waited for.
sub said {
    my ($line) = @_;
    socket(my $listener, 1, 1, 0) or return 1;
    my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $socket) : pack('Sa108', 1, $socket);
    local $SIG{ALRM} = sub { die };
    my $there = eval {
        alarm 1;
        my $connected = connect($listener, $address) ? 1 : 0;
        syswrite $listener, $line if $connected;
        alarm 0;
        $connected;
    };
    alarm 0;
    return $there // 1;
}

# A listener that was killed is followed by another, which is told then; neither the agent nor the shell waits for it.
sub say_later {
    my ($line) = @_;
    my $between = fork // return;
    return waitpid $between, 0 if $between;
    require POSIX;
    POSIX::_exit(0) if fork // 1;
    POSIX::setsid();
    open STDIN, '<', '/dev/null';
    open $_, '>', '/dev/null' for *STDOUT, *STDERR;
    for (1 .. 100) {
        select undef, undef, undef, 0.1;
        last if said($line);
    }
    POSIX::_exit(0);
}

# Typing is seen again, and the screen, the cursor and the keys are the shell's. What was not changed is not changed by this.
sub restore_terminal {
    local $SIG{TTOU} = 'IGNORE';
    ioctl STDIN, $set, $found if defined $found;
    return unless -t STDOUT;
    my @modes = (1047, 1000, 1002, 1003, 1004, 1006, 2004, 2026);
    syswrite STDOUT, join('', map { "\e[?${_}l" } @modes) . "\e[<u\e[>4;0m\e[0m\e[?25h\r\e[J";
}

# Codex writes its state to the terminal. Inside tmux that can be read along, unless somebody already does.
sub open_pipe {
    return 0 unless $agent eq 'codex' && $ENV{TMUX} && $ENV{TMUX_PANE} && $ENV{CHORUS_OSC_READER};
    my $pane = $ENV{TMUX_PANE};
    return 0 unless $pane =~ /^%\d+$/;
    my $state = `tmux display-message -p -t '$pane' '#{pane_pipe}' 2>/dev/null`;
    return 0 unless $state =~ /^0/;
    my $reader = join ' ', map { quote($_) } $ENV{CHORUS_OSC_READER}, $socket, $terminal, $$;
    return system('tmux', 'pipe-pane', '-O', '-t', $pane, "exec $reader") == 0;
}

sub close_pipe { system 'tmux', 'pipe-pane', '-t', $ENV{TMUX_PANE} }

sub quote {
    my ($text) = @_;
    $text =~ s/'/'\\''/g;
    # tmux expands #{...} and strftime's % before the shell sees the command.
    $text =~ s/([#%])/$1$1/g;
    return "'$text'";
}

sub json {
    my ($text) = @_;
    $text =~ s/[\x00-\x1f]/ /g;
    $text =~ s/(["\\])/\\$1/g;
    return "\"$text\"";
}

sub signal_names {
    require Config;
    return split ' ', $Config::Config{sig_name};
}
