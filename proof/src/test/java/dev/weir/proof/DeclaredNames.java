package dev.weir.proof;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreeScanner;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The types and methods that sources declare, nested ones included, by the name of the file and the module that has it. */
final class DeclaredNames {

    /** How a method is annotated that JUnit runs, as a test or after each. */
    private static final Set<String> OF_TESTS =
            Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "AfterEach");

    private final Map<String, Map<String, Set<String>>> byFileAndModule;

    DeclaredNames(Map<String, Map<String, Set<String>>> byFileAndModule) {
        this.byFileAndModule = byFileAndModule;
    }

    /** All types and methods. */
    static DeclaredNames in(List<Path> sources) {
        return in(sources, method -> true);
    }

    /** All types, and the methods that are run as tests: what merely helps them shows nothing. */
    static DeclaredNames ofTestsIn(List<Path> sources) {
        return in(sources, DeclaredNames::isTest);
    }

    private static DeclaredNames in(List<Path> sources, Predicate<MethodTree> methods) {
        return Sources.parse(sources, (task, units) -> {
            Map<String, Map<String, Set<String>>> found = new HashMap<>();
            for (CompilationUnitTree source : units) {
                Path file = Path.of(source.getSourceFile().toUri());
                String name = String.valueOf(file.getFileName()).replaceFirst("\\.java$", "");
                new Scanner(methods)
                        .scan(
                                source,
                                found.computeIfAbsent(name, unused -> new HashMap<>())
                                        .computeIfAbsent(Sources.moduleOf(file), module -> new HashSet<>()));
            }
            return new DeclaredNames(found);
        });
    }

    private static boolean isTest(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(annotation ->
                        OF_TESTS.contains(annotation.getAnnotationType().toString()));
    }

    /** Whether only one module has a file of that name, which declares the member. */
    boolean haveOnce(String file, String member) {
        Map<String, Set<String>> byModule = byFileAndModule.getOrDefault(file, Map.of());
        return byModule.size() == 1 && byModule.values().stream().allMatch(names -> names.contains(member));
    }

    /** Whether the file of that name in that module declares the member. */
    boolean haveIn(String module, String file, String member) {
        return byFileAndModule
                .getOrDefault(file, Map.of())
                .getOrDefault(module, Set.of())
                .contains(member);
    }

    private static final class Scanner extends TreeScanner<Void, Set<String>> {

        private final Predicate<MethodTree> methods;

        Scanner(Predicate<MethodTree> methods) {
            this.methods = methods;
        }

        @Override
        public Void visitClass(ClassTree type, Set<String> names) {
            names.add(type.getSimpleName().toString());
            return super.visitClass(type, names);
        }

        @Override
        public Void visitMethod(MethodTree method, Set<String> names) {
            if (methods.test(method)) {
                names.add(method.getName().toString());
            }
            return super.visitMethod(method, names);
        }
    }
}
