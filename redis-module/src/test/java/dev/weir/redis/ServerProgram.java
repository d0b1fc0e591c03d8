package dev.weir.redis;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A program that keeps keys, and is on this machine: the one of a jar that is always there, and Redis and Valkey where they are
 * installed. {@code -Dweir.servers=PATH:PATH} names others instead, and has the longer tests run on them, too.
 *
 * @param name what tests call it
 * @param path where it is, or nothing for the one of the jar
 */
record ServerProgram(String name, String path) {

    static final ServerProgram OF_THE_JAR = new ServerProgram("embedded Redis", "");

    private static final List<String> NAMES = List.of("redis-server", "valkey-server");

    /** All that are there. */
    static Stream<ServerProgram> present() {
        String others = System.getProperty("weir.servers");
        Stream<Path> installed =
                others == null ? NAMES.stream().map(ServerProgram::installed).flatMap(Optional::stream) : paths(others);
        return Stream.concat(
                Stream.of(OF_THE_JAR), installed.map(path -> new ServerProgram(path.toString(), path.toString())));
    }

    /** The one that is always there, and those that were named: for tests that take long. */
    static Stream<ServerProgram> named() {
        return System.getProperty("weir.servers") == null ? Stream.of(OF_THE_JAR) : present();
    }

    private static Optional<Path> installed(String name) {
        return paths(System.getenv("PATH"))
                .map(path -> path.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Stream<Path> paths(String joined) {
        return Stream.of(joined.split(File.pathSeparator))
                .filter(path -> !path.isEmpty())
                .map(Path::of);
    }

    @Override
    public String toString() {
        return name;
    }
}
