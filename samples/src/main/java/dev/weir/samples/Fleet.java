package dev.weir.samples;

import dev.weir.samples.fleet.FleetCommand;

/** Crawls a site from four JVMs at once that share one limit of 20 requests per second through Redis. */
public final class Fleet {

    private Fleet() {}

    /**
     * Starts the fleet, or one of its nodes, and returns without blocking; the JVM exits at the end.
     *
     * @param args {@code --redis URI} to use a running Redis; otherwise one is started
     */
    public static void main(String[] args) {
        FleetCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
