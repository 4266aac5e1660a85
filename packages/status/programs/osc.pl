#!/usr/bin/perl
# Reads a terminal's output and tells the Chorus listener what Codex writes there about its state (OSC 7501):
# osc.pl SOCKET TERMINAL [LAUNCH], as the command of `tmux pipe-pane`, or of any terminal program that can copy its output. It ends
# with the process of the launch: a terminal outlives what was killed in it.
# A listener that was killed is followed by another, which is told the last state again: Codex itself says it once.
use strict;

my ($socket, $terminal, $launch) = @ARGV;
my ($held, $listener, $last) = ('');
$SIG{PIPE} = 'IGNORE';
while (1) {
    my $ready = '';
    vec($ready, fileno STDIN, 1) = 1;
    vec($ready, fileno $listener, 1) = 1 if $listener;
    select $ready, undef, undef, defined $last && !$listener ? 0.3 : $launch ? 1 : undef;
    last if $launch && !kill 0, $launch;
    $listener = undef if $listener && vec($ready, fileno $listener, 1) && !sysread $listener, my $reply, 4096;
    tell_state() if defined $last && !$listener;
    next unless vec $ready, fileno STDIN, 1;
    sysread STDIN, my $chunk, 65536 or last;
    $held .= $chunk;
    my $read = 0;
    while ($held =~ /\e\]7501;([A-Za-z0-9=:_-]{1,200})(?:\e|\a)/g) {
        ($read, $last) = (pos $held, $1);
        tell_state();
    }
    # A sequence may be cut anywhere; one begun after the last complete one is kept.
    substr($held, 0, $read) = '';
    my $start = rindex $held, "\e";
    $held = $start >= 0 && length($held) - $start < 220 ? substr($held, $start) : '';
}

sub tell_state {
    $listener ||= connected();
    return unless $listener;
    my $at = eval { require Time::HiRes } ? sprintf(',"at":%d', Time::HiRes::time() * 1000) : '';
    (my $name = $terminal) =~ s/(["\\])/\\$1/g;
    syswrite $listener, "{\"osc\":\"$last\",\"terminalId\":\"$name\"$at}\n" or $listener = undef;
}

sub connected {
    socket(my $to, 1, 1, 0) or return;
    my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $socket) : pack('Sa108', 1, $socket);
    return connect($to, $address) ? $to : undef;
}
