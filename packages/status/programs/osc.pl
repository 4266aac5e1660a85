#!/usr/bin/perl
# Reads a terminal's output and tells the Chorus listener what Codex writes there about its state (OSC 7501):
# osc.pl SOCKET TERMINAL, as the command of `tmux pipe-pane`, or of any terminal program that can copy its output.
use strict;

my ($socket, $terminal) = @ARGV;
my $held = '';
$SIG{PIPE} = 'IGNORE';
while (sysread STDIN, my $chunk, 65536) {
    $held .= $chunk;
    my $read = 0;
    while ($held =~ /\e\]7501;([A-Za-z0-9=:_-]{1,200})(?:\e|\a)/g) {
        $read = pos $held;
        tell_state($1);
    }
    # A sequence may be cut anywhere; one begun after the last complete one is kept.
    substr($held, 0, $read) = '';
    my $start = rindex $held, "\e";
    $held = $start >= 0 && length($held) - $start < 220 ? substr($held, $start) : '';
}

sub tell_state {
    my ($state) = @_;
    socket(my $listener, 1, 1, 0) or return;
    my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $socket) : pack('Sa108', 1, $socket);
    connect($listener, $address) or return;
    my $at = eval { require Time::HiRes } ? sprintf(',"at":%d', Time::HiRes::time() * 1000) : '';
    (my $name = $terminal) =~ s/(["\\])/\\$1/g;
    syswrite $listener, "{\"osc\":\"$state\",\"terminalId\":\"$name\"$at}\n";
}
