package dev.weir.samples.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where the documentation is: the pages, and the sources with their comments. */
final class Pages {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private Pages() {}

    /** Every page: those in the root, and those under {@code docs}. */
    static List<Path> all() throws IOException {
        return Stream.concat(in(ROOT).stream(), under(ROOT.resolve("docs")).stream())
                .filter(page -> page.toString().endsWith(".md"))
                .toList();
    }

    /** Every source that is not a test, of every module. */
    static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        List<Path> modules = new ArrayList<>(in(ROOT));
        modules.addAll(in(ROOT.resolve("spring-boot")));
        for (Path module : modules) {
            sources.addAll(under(module.resolve("src/main/java")));
        }
        return sources;
    }

    private static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static List<Path> under(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
