package dev.weir.proof;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The public face of a module as text: what it exports and requires, its public types, and their public and protected
 * members, in an order that depends on nothing but names. What every record, enum and object has is left out.
 */
final class ApiDump {

    private static final String INDENT = "    ";
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    private final List<String> lines = new ArrayList<>();

    private ApiDump() {}

    static List<String> of(PublishedModule module) {
        ApiDump dump = new ApiDump();
        dump.addModule(module.descriptor());
        module.exportedPackages().forEach(name -> dump.addPackage(name, module.publicTypes(name)));
        return dump.lines;
    }

    static List<String> of(Class<?> type) {
        ApiDump dump = new ApiDump();
        dump.addType(type, "");
        return dump.lines;
    }

    private void addModule(ModuleDescriptor module) {
        lines.add((module.isAutomatic() ? "automatic module " : "module ") + module.name());
        module.requires().stream()
                .filter(required -> !required.modifiers().contains(Requires.Modifier.MANDATED))
                .map(required -> INDENT + "requires " + modifiers(required) + required.name())
                .sorted()
                .forEach(lines::add);
        module.exports().stream().map(ApiDump::exported).sorted().forEach(lines::add);
    }

    private static String modifiers(Requires required) {
        return Stream.of(Requires.Modifier.STATIC, Requires.Modifier.TRANSITIVE)
                .filter(required.modifiers()::contains)
                .map(modifier -> modifier == Requires.Modifier.STATIC ? "static " : "transitive ")
                .collect(Collectors.joining());
    }

    private static String exported(Exports exported) {
        String friends = exported.targets().stream().sorted().collect(Collectors.joining(", "));
        return INDENT + "exports " + exported.source() + (friends.isEmpty() ? "" : " to " + friends);
    }

    private void addPackage(String name, List<Class<?>> types) {
        lines.add("");
        lines.add("package " + name);
        for (Class<?> type : types) {
            lines.add("");
            addType(type, "");
        }
    }

    private void addType(Class<?> type, String indent) {
        lines.add(indent + ApiNames.header(type));
        String inner = indent + INDENT;
        if (type.isEnum()) {
            Arrays.stream(type.getEnumConstants()).forEach(constant -> lines.add(inner + constant));
        }
        add(inner, type.getDeclaredFields(), field -> !field.isEnumConstant(), ApiNames::field);
        add(
                inner,
                type.getDeclaredConstructors(),
                constructor -> !isCanonical(type, constructor),
                ApiNames::constructor);
        add(inner, type.getDeclaredMethods(), method -> !isImplied(type, method), ApiNames::method);
        Arrays.stream(type.getDeclaredClasses())
                .filter(nested -> isVisible(nested.getModifiers()))
                .sorted(Comparator.comparing(Class::getName))
                .forEach(nested -> addType(nested, inner));
    }

    private <M extends Member> void add(String indent, M[] members, Predicate<M> wanted, Function<M, String> text) {
        Arrays.stream(members)
                .filter(member -> isVisible(member.getModifiers()) && !member.isSynthetic())
                .filter(wanted)
                .map(text)
                .sorted(Comparator.comparing(ApiDump::byNameFirst))
                .forEach(line -> lines.add(indent + line));
    }

    /** Overloads stand together, whatever they return. */
    private static String byNameFirst(String line) {
        int end = line.indexOf('(');
        String declared = end < 0 ? line : line.substring(0, end);
        return declared.substring(declared.lastIndexOf(' ') + 1) + " " + line;
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static boolean isCanonical(Class<?> type, Constructor<?> constructor) {
        return type.isRecord()
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Arrays.stream(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    private static boolean isImplied(Class<?> type, Method method) {
        boolean ofEveryEnum = type.isEnum() && Set.of("values", "valueOf").contains(method.getName());
        boolean accessor = type.isRecord()
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(component -> component.getAccessor().equals(method));
        return ofEveryEnum || accessor || OF_EVERY_OBJECT.contains(method.getName());
    }

    /** The value of a constant is compiled into those who use it. */
    static String constant(Field field) {
        boolean constant = Modifier.isStatic(field.getModifiers())
                && Modifier.isFinal(field.getModifiers())
                && (field.getType().isPrimitive() || field.getType() == String.class);
        try {
            return constant ? " = " + field.get(null) : "";
        } catch (IllegalAccessException notPublic) {
            return "";
        }
    }
}
