package dev.weir.proof;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fields of sources that say themselves that threads share them: volatile ones, those of an atomic type, and
 * those that a {@link java.lang.invoke.VarHandle} reaches. Each is named by its class and those around it, as
 * {@code Outer.Inner.field}; a class that extends an atomic one, as {@code Outer.Inner.itself}.
 */
final class SharedFields extends TreeScanner<Void, Void> {

    private static final Pattern ATOMIC = Pattern.compile("\\b(Atomic[A-Z]\\w*|(Long|Double)(Adder|Accumulator))\\b");
    private static final Set<String> FINDERS = Set.of("findVarHandle", "findStaticVarHandle", "newUpdater");

    /** The type of each field that there is. */
    private final Map<String, String> types = new HashMap<>();

    private final Set<String> shared = new TreeSet<>();
    private final List<String> around = new ArrayList<>();
    private boolean knowsAll;

    private SharedFields() {}

    static SharedFields in(List<Path> sources) {
        return Sources.parse(sources, (task, units) -> {
            SharedFields found = new SharedFields();
            found.scan(units, null);
            found.knowsAll = true; // which it takes to tell what a handle is for
            found.scan(units, null);
            return found;
        });
    }

    /** Those that are shared. */
    Set<String> shared() {
        return shared;
    }

    /** All fields that there are. */
    Set<String> all() {
        return types.keySet();
    }

    @Override
    public Void visitClass(ClassTree type, Void unused) {
        around.add(type.getSimpleName().toString());
        for (Tree member : type.getMembers()) {
            if (member instanceof VariableTree field) {
                note(field);
            }
        }
        if (type.getExtendsClause() != null && isAtomic(type.getExtendsClause().toString())) {
            types.put(named("itself"), "");
            shared.add(named("itself"));
        }
        super.visitClass(type, null);
        around.remove(around.size() - 1);
        return null;
    }

    private void note(VariableTree field) {
        String name = named(field.getName().toString());
        String type = String.valueOf(field.getType());
        types.put(name, type);
        if (field.getModifiers().getFlags().contains(Modifier.VOLATILE) || isAtomic(type)) {
            shared.add(name);
        }
    }

    private static boolean isAtomic(String type) {
        return ATOMIC.matcher(type).find();
    }

    private String named(String field) {
        return String.join(".", around) + "." + field;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
        if (knowsAll && call.getMethodSelect() instanceof MemberSelectTree method) {
            if (FINDERS.contains(method.getIdentifier().toString())) {
                shared.add(fieldOfHandle(call.getArguments()));
            } else if (isHandle(method.getExpression()) && !call.getArguments().isEmpty()) {
                addArray(call.getArguments().get(0));
            }
        }
        return super.visitMethodInvocation(call, null);
    }

    /** The field that a handle is made for; a name that there is not, where that cannot be told. */
    private String fieldOfHandle(List<? extends ExpressionTree> arguments) {
        String holder = arguments.get(0).toString().replaceFirst("\\.class$", "");
        for (ExpressionTree argument : arguments) {
            if (argument instanceof LiteralTree literal && literal.getValue() instanceof String field) {
                String found = visible(holder + "." + field);
                return found == null ? holder + "." + field : found;
            }
        }
        return named("untold");
    }

    private boolean isHandle(ExpressionTree on) {
        String handle = on instanceof IdentifierTree name ? visible(name.toString()) : null;
        return handle != null && types.getOrDefault(handle, "").endsWith("VarHandle");
    }

    /** What a handle of array elements is used on. */
    private void addArray(ExpressionTree target) {
        String array = target instanceof IdentifierTree name ? visible(name.toString()) : null;
        if (array != null && types.getOrDefault(array, "").endsWith("[]")) {
            shared.add(array);
        }
    }

    /** The field of that name in the class at hand or the nearest around it, or null. */
    private @Nullable String visible(String name) {
        for (int depth = around.size(); depth >= 0; depth--) {
            String candidate = String.join(".", around.subList(0, depth)) + (depth == 0 ? "" : ".") + name;
            if (types.containsKey(candidate)) {
                return candidate;
            }
        }
        return null;
    }
}
