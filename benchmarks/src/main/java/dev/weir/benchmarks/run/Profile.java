package dev.weir.benchmarks.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import one.profiler.AsyncProfilerLoader;

/**
 * Runs benchmarks under async-profiler, which tells in which methods they spend their time. Arguments: a directory for what it
 * tells, and those of JMH.
 */
public final class Profile {

    private Profile() {}

    public static void main(String[] arguments) throws IOException {
        System.setProperty("jmh.ignoreLock", "true");
        String profiler = String.format(
                "async:libPath=%s;event=itimer;output=text,flamegraph;dir=%s",
                AsyncProfilerLoader.getAsyncProfilerPath(), arguments[0]);
        List<String> options = new ArrayList<>(Arrays.asList(arguments).subList(1, arguments.length));
        options.addAll(List.of("-p", "takesTurns=false", "-prof", profiler, "-f", "1"));
        org.openjdk.jmh.Main.main(options.toArray(String[]::new));
    }
}
