package dev.weir.samples;

import java.io.PrintStream;
import java.util.List;

/** The command line of a sample that takes no arguments. */
public final class NoArguments {

    private NoArguments() {}

    /**
     * Prints help, or an error if there are arguments other than {@code --help}.
     *
     * @param sample the name of the sample
     * @param args the arguments, at least one
     * @param out where help is printed, if requested
     * @param err where errors are printed
     * @return the exit code: 0 after help, otherwise 2
     */
    public static int explain(String sample, String[] args, PrintStream out, PrintStream err) {
        boolean help = List.of(args).equals(List.of("--help"));
        if (!help) {
            err.println("unknown option: " + String.join(" ", args));
        }
        (help ? out : err).println("usage: " + sample + "      (there are no arguments)");
        return help ? 0 : 2;
    }
}
