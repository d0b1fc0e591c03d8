package dev.weir.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Reads the properties of an application and rejects unknown ones: because of a misspelt name, a limit would not be what was
 * intended. Also rejects names of limits that Spring Boot cannot distinguish, as one of them would be lost.
 *
 * <p>Spring Boot's own check for unbound properties also rejects a known property without a value, as from an empty placeholder.
 * Like that check, this one ignores environment variables and system properties, as unrelated ones may have the same prefix.
 */
final class PropertyReader {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("weir");
    private static final ConfigurationPropertyName LIMITS = ROOT.append("limits");

    private PropertyReader() {}

    static WeirProperties read(Environment environment) {
        AskedNames asked = new AskedNames();
        WeirProperties read = bind(environment, asked);
        Set<String> limits = new LinkedHashSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && !isOfTheSystem(source)) {
                names.stream().filter(ROOT::isAncestorOf).forEach(asked::check);
                names.stream()
                        .filter(LIMITS::isAncestorOf)
                        .map(name -> name.getElement(LIMITS.getNumberOfElements(), Form.ORIGINAL))
                        .forEach(limits::add);
            }
        }
        LimitNames.check(limits);
        return read;
    }

    /**
     * Binds, which fails if an element of a list seems not to be there: if its properties are all unknown, or come after a gap in the
     * indices.
     */
    private static WeirProperties bind(Environment environment, AskedNames asked) {
        try {
            return Binder.get(environment).bindOrCreate(ROOT, Bindable.of(WeirProperties.class), asked);
        } catch (BindException failure) {
            if (failure.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
                unbound.getUnboundProperties().forEach(property -> asked.check(property.getName()));
                unbound.getUnboundProperties().stream().findFirst().ifPresent(property -> {
                    throw afterAGap(property.getName());
                });
            }
            throw failure;
        }
    }

    private static InvalidLimitException afterAGap(ConfigurationPropertyName name) {
        return new InvalidLimitException(
                name.toString(),
                "must not come after a gap, as the indices of a list begin at 0 and leave none out, nor have an unknown name after its"
                        + " index");
    }

    /** Returns whether a source has environment variables, under whatever name, or system properties. */
    private static boolean isOfTheSystem(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource
                || !new UnboundElementsSourceFilter().apply(source);
    }

    /** Records the names that binding looks up. List indices are left out of a path: the names below each element are the same. */
    private static final class AskedNames implements BindHandler {

        /** What is known, by path. */
        private final Map<List<String>, Node> nodes = new HashMap<>(Map.of(path(ROOT), new Node(false)));

        @Override
        public <T> Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            if (ROOT.isAncestorOf(name)) {
                Node parent = nodes.get(path(name.getParent()));
                if (parent != null
                        && !parent.isValue // Spring Boot looks for properties of a value, too
                        && nodes.putIfAbsent(path(name), new Node(isValue(target.getType()))) == null) {
                    parent.children.add(name.getLastElement(Form.DASHED));
                }
            }
            return target;
        }

        /** Returns whether neither a type nor, if it is a collection, its elements have properties of their own. */
        private static boolean isValue(ResolvableType type) {
            Class<?> resolved = type.resolve(Object.class);
            return Collection.class.isAssignableFrom(resolved)
                    ? isValue(type.asCollection().getGeneric())
                    : !resolved.isRecord() && !Map.class.isAssignableFrom(resolved);
        }

        void check(ConfigurationPropertyName name) {
            ConfigurationPropertyName known = name;
            Node nearest = nodes.get(path(known));
            while (nearest == null) {
                known = known.getParent();
                nearest = nodes.get(path(known));
            }
            if (!known.equals(name)) {
                boolean isOfNoElement = known.isLastElementIndexed() && !nearest.isValue && nearest.children.isEmpty();
                throw isOfNoElement && !known.getLastElement(Form.ORIGINAL).equals("0")
                        ? afterAGap(name)
                        : new InvalidLimitException(
                                name.toString(),
                                "must be called otherwise or be removed, as nothing is read from it: after '" + known
                                        + "' there may be " + nearest.children);
            }
        }

        private static List<String> path(ConfigurationPropertyName name) {
            List<String> path = new ArrayList<>();
            for (int element = 0; element < name.getNumberOfElements(); element++) {
                if (!name.isNumericIndex(element)) {
                    path.add(name.getElement(element, Form.UNIFORM));
                }
            }
            return path;
        }
    }

    /** A known path: its end is a value, or the names of its next element follow. */
    private record Node(boolean isValue, Set<String> children) {

        Node(boolean isValue) {
            this(isValue, new TreeSet<>());
        }
    }
}
