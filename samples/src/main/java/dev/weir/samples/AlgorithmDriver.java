package dev.weir.samples;

import dev.weir.samples.driver.DriverCommand;

/** Offers every kind of limit more and less traffic than it allows, and prints what each admits. */
public final class AlgorithmDriver {

    private AlgorithmDriver() {}

    /**
     * Prints the table, in virtual time unless {@code --real} asks for the wall clock.
     *
     * @param args {@code --real}, or none
     */
    public static void main(String[] args) {
        System.exit(DriverCommand.run(args, System.out, System.err));
    }
}
