package dev.weir.benchmarks.fleet;

import java.time.Duration;

/**
 * Where limits are shared.
 *
 * @param port of the server, on this machine
 * @param database of the server, which no other contender uses
 * @param nodes how many share them
 * @param permits of the limit of each key
 * @param period for so many permits; whole seconds, as one of the libraries knows no others
 */
record Site(int port, int database, int nodes, int permits, Duration period) {}
