package dev.weir.samples;

import java.io.PrintStream;
import java.util.List;

/** The command line of a sample that takes no arguments. */
public final class NoArguments {

    private NoArguments() {}

    /**
     * Says what there is to say when there are arguments all the same.
     *
     * @param sample its name
     * @param args what was given, at least one
     * @param out where help goes, if that is what was asked for
     * @param err where complaints go
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
