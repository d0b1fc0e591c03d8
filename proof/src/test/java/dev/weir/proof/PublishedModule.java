package dev.weir.proof;

import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.weir.RateLimiter;
import dev.weir.micrometer.WeirMetrics;
import dev.weir.redis.RedisRateLimiters;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.webflux.RateLimitWebFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarFile;

/** What users put on their class path, found as it is built: a jar, or the classes that are to go into it. */
enum PublishedModule {
    CORE("weir-core", RateLimiter.class),
    TESTKIT("weir-testkit", VirtualTimeSource.class),
    REACTOR("weir-reactor", dev.weir.reactor.RateLimit.class),
    RXJAVA("weir-rxjava", dev.weir.rxjava.RateLimit.class),
    REDIS("weir-redis", RedisRateLimiters.class),
    MICROMETER("weir-micrometer", WeirMetrics.class),
    WEBFLUX("weir-webflux", RateLimitWebFilter.class);

    /** Reading classes takes longer than looking at them. */
    private static final Map<PublishedModule, JavaClasses> READ = new ConcurrentHashMap<>();

    private final String artifact;
    private final Class<?> resident;

    PublishedModule(String artifact, Class<?> resident) {
        this.artifact = artifact;
        this.resident = resident;
    }

    String artifact() {
        return artifact;
    }

    JavaClasses classes() {
        return READ.computeIfAbsent(this, module -> read(module.place()));
    }

    private static JavaClasses read(Path place) {
        ClassFileImporter importer = new ClassFileImporter();
        if (Files.isDirectory(place)) {
            return importer.importPath(place);
        }
        try (JarFile jar = new JarFile(place.toFile())) {
            return importer.importJar(jar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path place() {
        try {
            return Path.of(
                    resident.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** That of its {@code module-info}, or where there is none, of its jar; or what the jar will say, as its file is not there yet. */
    ModuleDescriptor descriptor() {
        return ModuleFinder.of(place()).findAll().stream()
                .findAny()
                .map(ModuleReference::descriptor)
                .orElseGet(() -> ModuleDescriptor.newAutomaticModule(resident.getPackageName())
                        .packages(Set.of(resident.getPackageName()))
                        .build());
    }

    /** What others may use; of an automatic module everything. */
    List<String> exportedPackages() {
        ModuleDescriptor module = descriptor();
        return module.isAutomatic()
                ? module.packages().stream().sorted().toList()
                : module.exports().stream()
                        .filter(exported -> !exported.isQualified())
                        .map(ModuleDescriptor.Exports::source)
                        .sorted()
                        .toList();
    }

    /** The public types of a package, nested ones not included, by name. */
    List<Class<?>> publicTypes(String packageName) {
        return classes().stream()
                .filter(type -> type.getPackageName().equals(packageName) && type.isTopLevelClass())
                .filter(modifier(JavaModifier.PUBLIC))
                .sorted((one, other) -> one.getName().compareTo(other.getName()))
                .<Class<?>>map(JavaClass::reflect)
                .toList();
    }

    @Override
    public String toString() {
        return artifact;
    }
}
