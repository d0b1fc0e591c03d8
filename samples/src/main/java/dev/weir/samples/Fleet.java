package dev.weir.samples;

import dev.weir.samples.fleet.FleetCommand;

/** Crawls a site from four JVMs at once, which share one limit of 20 requests per second through Redis. */
public final class Fleet {

    private Fleet() {}

    /**
     * Starts the fleet, or one of its nodes, and returns: no thread waits for the end, which exits the JVM.
     *
     * @param args {@code --redis URI} for a Redis that is running; otherwise one of its own is started
     */
    public static void main(String[] args) {
        FleetCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
