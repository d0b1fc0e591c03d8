package dev.weir.proof;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Java files of this project, and how the compiler reads them. */
final class Sources {

    private static final Path ROOT = Path.of("..");
    /** Modules that keep tests among what others are built with. */
    private static final Set<String> OF_TESTS = Set.of("testkit", "concurrency-tests");

    private Sources() {}

    /** What all modules are made of. */
    static List<Path> main() {
        return modules().stream()
                .flatMap(module -> in(module.resolve("src/main/java")).stream())
                .toList();
    }

    /** All tests, contracts and races. */
    static List<Path> tests() {
        return modules().stream()
                .flatMap(module -> Stream.concat(
                        in(module.resolve("src/test/java")).stream(),
                        OF_TESTS.contains(String.valueOf(module.getFileName()))
                                ? in(module.resolve("src/main/java")).stream()
                                : Stream.empty()))
                .toList();
    }

    /** What a module is made of. */
    static List<Path> ofModule(String module) {
        return in(ROOT.resolve(module).resolve("src/main/java"));
    }

    /** The directory of the module that has a file. */
    static String moduleOf(Path file) {
        Path source = file;
        while (!String.valueOf(source.getFileName()).equals("src")) {
            source = source.getParent();
        }
        return String.valueOf(source.getParent().getFileName());
    }

    private static List<Path> modules() {
        try (Stream<Path> found = Files.find(ROOT, 2, (path, attributes) -> Files.exists(path.resolve("pom.xml")))) {
            return found.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> in(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the compiler parse sources, and returns what is read in them. */
    static <T> T parse(List<Path> sources, BiFunction<JavacTask, List<CompilationUnitTree>, T> reader) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            return reader.apply(task, units);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
