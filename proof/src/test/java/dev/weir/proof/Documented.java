package dev.weir.proof;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePathScanner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Modifier;

/** Finds what users see and what has no comment: public types, and their public and protected members. */
final class Documented extends TreePathScanner<Void, Void> {

    private final DocTrees comments;
    private final List<String> uncommented = new ArrayList<>();

    private Documented(DocTrees comments) {
        this.comments = comments;
    }

    static List<String> uncommentedIn(List<Path> sources) {
        return Sources.parse(sources, (task, units) -> {
            Documented found = new Documented(DocTrees.instance(task));
            units.forEach(source -> found.scan(source, null));
            return found.uncommented;
        });
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
        if (!isVisible(type.getModifiers())) {
            return null;
        }
        note(type.getSimpleName());
        return super.visitClass(type, null);
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
        if (isVisible(method.getModifiers()) && !overrides(method) && !isConstructorOfRecord(method)) {
            note(method.getName());
        }
        return null;
    }

    @Override
    public Void visitVariable(VariableTree field, Void unused) {
        if (isVisible(field.getModifiers())) {
            note(field.getName());
        }
        return null;
    }

    private void note(CharSequence name) {
        if (comments.getDocComment(getCurrentPath()) == null) {
            uncommented.add(name + " in "
                    + getCurrentPath().getCompilationUnit().getSourceFile().getName());
        }
    }

    /** Members of an interface are public without saying so. */
    private boolean isVisible(ModifiersTree modifiers) {
        Set<Modifier> flags = modifiers.getFlags();
        Tree around = getCurrentPath().getParentPath().getLeaf();
        return flags.contains(Modifier.PUBLIC)
                || flags.contains(Modifier.PROTECTED)
                || (around.getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE));
    }

    private static boolean overrides(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("Override"));
    }

    /** The comment on a record says what its components are. */
    private boolean isConstructorOfRecord(MethodTree method) {
        return method.getReturnType() == null
                && getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
    }
}
