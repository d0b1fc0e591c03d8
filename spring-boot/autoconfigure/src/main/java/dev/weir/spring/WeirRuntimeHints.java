package dev.weir.spring;

import dev.weir.webflux.RateLimited;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Hints for native images: the report that is serialized as JSON, the annotation that is read by reflection, the Redis scripts. */
final class WeirRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        new BindingReflectionHintsRegistrar()
                .registerReflectionHints(hints.reflection(), WeirEndpoint.Report.class, WeirEndpoint.Entry.class);
        hints.reflection().registerType(RateLimited.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.resources().registerPattern("dev/weir/redis/*.lua");
    }
}
