#!/usr/bin/perl
# Hands the input of an agent's hook to the Chorus listener, untouched. Runs inside the agent's turn: it prints nothing,
# always succeeds, gives up after a second, and does nothing at all outside a Chorus terminal. With "await" it then stays, beside
# the agent's own dialog, until somebody has said yes or no elsewhere or nobody asks any more. A listener that was killed is followed
# by another: a word that nobody hears is brought to that one by a process of its own, for which the agent does not wait.
use strict;

$SIG{ALRM} = $SIG{PIPE} = sub { exit 0 };
alarm 1;
my ($socket, $terminal, $agent) = @ENV{qw(CHORUS_SOCK CHORUS_TERMINAL_ID CHORUS_AGENT)};
# Read to the end in any case: an agent that writes into a closed pipe reports a failed hook.
my $input = do { local $/; <STDIN> };
exit 0 unless defined $socket && defined $terminal && defined $agent && defined $input;

my $line = '{"hook":' . json($agent) . ',"terminalId":' . json($terminal);
# Not the parent: that may be a shell which lives no longer than this hook.
my $pid = $ENV{CLAUDE_PID} || $ENV{CHORUS_AGENT_PID} || '';
$line .= ",\"pid\":$pid" if $pid =~ /^[1-9]\d*$/;
my $awaits = @ARGV && $ARGV[0] eq 'await';
$line .= ",\"ask\":\"$agent-$$-" . time . '"' if $awaits;
# Without a clock finer than seconds the listener's own is better.
$line .= sprintf(',"at":%d', Time::HiRes::time() * 1000) if eval { require Time::HiRes };
if (length $input > 65536) {
    $line .= ',"head":' . json(substr $input, 0, 16384);
} else {
    $input =~ tr/\r\n/  /;
    $line .= ',"payload":' . $input;
}
$line .= "}\n";
my $listener = connected();
if (!$listener) {
    # Nobody has asked for a listener, so none will come.
    exit 0 unless -e "$socket.log";
    step_aside() unless $awaits;
    alarm 0;
    for (1 .. 100) {
        select undef, undef, undef, 0.1;
        last if $listener = connected();
    }
    exit 0 unless $listener;
}
my $sent = 0;
while ($sent < length $line) {
    my $wrote = syswrite $listener, $line, length($line) - $sent, $sent or last;
    $sent += $wrote;
}
exit 0 unless $awaits;
alarm 0;
my ($said) = (<$listener> // '') =~ /"decision":"(approve|deny)"/ or exit 0;
my $decision = $said eq 'approve' ? '"behavior":"allow"' : '"behavior":"deny","message":"A person refused this.","interrupt":true';
print "{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{$decision}}}\n";
exit 0;

sub connected {
    socket(my $to, 1, 1, 0) or return;
    my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $socket) : pack('Sa108', 1, $socket);
    return connect($to, $address) ? $to : undef;
}

# What holds the agent's pipes holds up the agent.
sub step_aside {
    exit 0 if fork // 1;
    require POSIX;
    POSIX::setsid();
    open STDIN, '<', '/dev/null';
    open $_, '>', '/dev/null' for *STDOUT, *STDERR;
}

sub json {
    my ($text) = @_;
    $text =~ s/[\x00-\x1f]/ /g;
    $text =~ s/(["\\])/\\$1/g;
    return "\"$text\"";
}
