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

/** The types and methods that sources declare, nested ones included, by the name of the file; files of one name together. */
final class DeclaredNames extends TreeScanner<Void, Set<String>> {

    private DeclaredNames() {}

    static Map<String, Set<String>> in(List<Path> sources) {
        return Sources.parse(sources, (task, units) -> {
            Map<String, Set<String>> byFile = new HashMap<>();
            for (CompilationUnitTree source : units) {
                new DeclaredNames().scan(source, byFile.computeIfAbsent(nameOf(source), file -> new HashSet<>()));
            }
            return byFile;
        });
    }

    private static String nameOf(CompilationUnitTree source) {
        String file = String.valueOf(Path.of(source.getSourceFile().toUri()).getFileName());
        return file.replaceFirst("\\.java$", "");
    }

    @Override
    public Void visitClass(ClassTree type, Set<String> names) {
        names.add(type.getSimpleName().toString());
        return super.visitClass(type, names);
    }

    @Override
    public Void visitMethod(MethodTree method, Set<String> names) {
        names.add(method.getName().toString());
        return super.visitMethod(method, names);
    }
}
