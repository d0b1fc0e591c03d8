package dev.weir.proof;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Declarations in the words of the language, with generics and with what may be null. */
final class ApiNames {

    /** Those that a caller or a subclass has to know. */
    private static final int MODIFIERS =
            Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT;

    private ApiNames() {}

    static String header(Class<?> type) {
        return modifiers(type)
                + kind(type)
                + (type.getEnclosingClass() == null ? type.getName() : type.getSimpleName())
                + variables(type)
                + components(type)
                + listed(
                        " extends ",
                        type.isInterface() || type.isEnum() || type.isRecord()
                                ? new AnnotatedType[0]
                                : superclass(type))
                + listed(type.isInterface() ? " extends " : " implements ", type.getAnnotatedInterfaces())
                + permitted(type);
    }

    private static String modifiers(Class<?> type) {
        int ignored = type.isInterface() || type.isEnum() || type.isRecord()
                ? Modifier.ABSTRACT | Modifier.STATIC | Modifier.FINAL | Modifier.INTERFACE
                : 0;
        String sealed = type.isSealed() ? "sealed " : "";
        return text(type.getModifiers() & ~ignored) + deprecated(type) + sealed;
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface ";
        }
        if (type.isInterface()) {
            return type.isAnnotationPresent(FunctionalInterface.class) ? "functional interface " : "interface ";
        }
        return type.isEnum() ? "enum " : type.isRecord() ? "record " : "class ";
    }

    private static String components(Class<?> type) {
        return type.isRecord()
                ? Arrays.stream(type.getRecordComponents())
                        .map(component -> name(component.getAnnotatedType()) + " " + component.getName())
                        .collect(Collectors.joining(", ", "(", ")"))
                : "";
    }

    private static AnnotatedType[] superclass(Class<?> type) {
        return type.getSuperclass() == Object.class
                ? new AnnotatedType[0]
                : new AnnotatedType[] {type.getAnnotatedSuperclass()};
    }

    private static String permitted(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses())
                        .map(Class::getTypeName)
                        .sorted()
                        .collect(Collectors.joining(", ", " permits ", ""))
                : "";
    }

    static String field(Field field) {
        return text(field.getModifiers())
                + deprecated(field)
                + name(field.getAnnotatedType())
                + " "
                + field.getName()
                + ApiDump.constant(field);
    }

    static String constructor(Constructor<?> constructor) {
        return text(constructor.getModifiers())
                + deprecated(constructor)
                + typeParameters(constructor)
                + constructor.getDeclaringClass().getSimpleName()
                + parameters(constructor);
    }

    static String method(Method method) {
        return text(method.getModifiers() & ~(method.getDeclaringClass().isInterface() ? Modifier.ABSTRACT : 0))
                + (method.isDefault() ? "default " : "")
                + deprecated(method)
                + typeParameters(method)
                + name(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + parameters(method);
    }

    private static String text(int modifiers) {
        int told = modifiers & MODIFIERS;
        return told == 0 ? "" : Modifier.toString(told) + " ";
    }

    private static String deprecated(AnnotatedElement element) {
        Deprecated deprecated = element.getAnnotation(Deprecated.class);
        if (deprecated == null) {
            return "";
        }
        return deprecated.forRemoval() ? "@Deprecated(forRemoval) " : "@Deprecated ";
    }

    /** Names of parameters belong to the face of a record alone. */
    private static String parameters(Executable executable) {
        List<String> types = Arrays.stream(executable.getParameters())
                .map(Parameter::getAnnotatedType)
                .map(ApiNames::name)
                .collect(Collectors.toList());
        if (executable.isVarArgs()) {
            String last = types.remove(types.size() - 1);
            types.add(last.substring(0, last.length() - 2) + "...");
        }
        return "(" + String.join(", ", types) + ")" + listed(" throws ", executable.getAnnotatedExceptionTypes());
    }

    private static String typeParameters(GenericDeclaration declared) {
        String variables = variables(declared);
        return variables.isEmpty() ? "" : variables + " ";
    }

    private static String variables(GenericDeclaration declared) {
        return declared.getTypeParameters().length == 0
                ? ""
                : Arrays.stream(declared.getTypeParameters())
                        .map(ApiNames::variable)
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String variable(TypeVariable<?> variable) {
        String bounds = Arrays.stream(variable.getAnnotatedBounds())
                .map(ApiNames::name)
                .filter(bound -> !bound.equals("Object"))
                .collect(Collectors.joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    private static String listed(String word, AnnotatedType[] types) {
        return types.length == 0
                ? ""
                : Arrays.stream(types).map(ApiNames::name).collect(Collectors.joining(", ", word, ""));
    }

    /** A type as it is written, without the package where that is {@code java.lang}. */
    private static String name(AnnotatedType type) {
        return nullness(type) + plainName(type);
    }

    private static String plainName(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            return name(array.getAnnotatedGenericComponentType()) + "[]";
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return "?" + bound(" super ", wildcard.getAnnotatedLowerBounds())
                    + bound(" extends ", wildcard.getAnnotatedUpperBounds());
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            return raw(generic)
                    + Arrays.stream(generic.getAnnotatedActualTypeArguments())
                            .map(ApiNames::name)
                            .collect(Collectors.joining(", ", "<", ">"));
        }
        return shortened(type.getType().getTypeName());
    }

    private static String raw(AnnotatedParameterizedType generic) {
        ParameterizedType type = (ParameterizedType) generic.getType();
        return shortened(type.getRawType().getTypeName());
    }

    private static String bound(String word, AnnotatedType[] bounds) {
        String text = Stream.of(bounds).map(ApiNames::name).collect(Collectors.joining(" & "));
        return text.isEmpty() || text.equals("Object") ? "" : word + text;
    }

    private static String nullness(AnnotatedType type) {
        for (Annotation annotation : type.getAnnotations()) {
            if (annotation instanceof Nullable) {
                return "@Nullable ";
            }
        }
        return "";
    }

    private static String shortened(String name) {
        return name.matches("java\\.lang\\.[^.]+") ? name.substring("java.lang.".length()) : name;
    }
}
