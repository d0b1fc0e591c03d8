package dev.weir.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users get when they depend on a module. */
class PublishedPomsTest {

    private static final Path ROOT = Path.of("..");
    private static final Pom PARENT = Pom.of(ROOT);
    private static final Map<String, Pom> PUBLISHED = PARENT.modules().stream()
            .map(module -> Pom.of(ROOT.resolve(module)))
            .filter(pom -> !pom.text("packaging").equals("pom"))
            .filter(pom -> !pom.text("properties", "maven.deploy.skip").equals("true"))
            .collect(Collectors.toMap(pom -> pom.text("artifactId"), Function.identity()));
    private static final String JAR_OF_TESTS = "maven-jar-plugin:test-jar";
    /** These have one version for whatever they are used with. */
    private static final List<String> OF_NO_GENERATION =
            List.of("org.jspecify:jspecify", "org.reactivestreams:reactive-streams");

    @Test
    @DisplayName("the BOM has every published module, in the version of the parent, and nothing else")
    void bom() {
        Pom bom = Pom.of(ROOT.resolve("bom"));
        assertThat(PUBLISHED).containsKeys("weir-core", "weir-reactor", "weir-spring-boot4-starter");
        assertThat(PUBLISHED).doesNotContainKeys("weir-samples", "weir-proof");
        assertThat(bom.managed())
                .allMatch(Pom.Dependency::isOurs)
                .extracting(Pom.Dependency::artifact)
                .containsExactlyInAnyOrderElementsOf(PUBLISHED.keySet());
        assertThat(bom.managed()).extracting(Pom.Dependency::version).containsOnly("${project.version}");
        assertThat(bom.text("version")).isEqualTo(PARENT.text("version"));
        assertThat(bom.text("parent")).isEmpty();
    }

    @Test
    @DisplayName("the core brings nothing but annotations")
    void core() {
        assertThat(PUBLISHED.get("weir-core").broughtAlong())
                .extracting(Pom.Dependency::name)
                .containsExactly("org.jspecify:jspecify");
    }

    @Test
    @DisplayName("for Reactor the oldest version is enough that is supported")
    void reactor() {
        assertThat(PUBLISHED.get("weir-reactor").broughtAlong())
                .filteredOn(Pom.Dependency::artifact, "reactor-core")
                .extracting(Pom.Dependency::version)
                .containsExactly("${reactor.version}");
        assertThat(PARENT.text("properties", "reactor.version")).startsWith("3.7.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"weir-spring-boot3-starter", "weir-spring-boot4-starter"})
    @DisplayName("a starter names what its parts are compiled against, so that the version is that of its generation")
    void generation(String starter) {
        Pom pom = PUBLISHED.get(starter);
        assertThat(librariesOf(pom).distinct())
                .contains("org.springframework:spring-webflux")
                .allMatch(library ->
                        pom.broughtAlong().stream().map(Pom.Dependency::name).anyMatch(library::equals));
    }

    @Test
    @DisplayName("a published module tells its name, its licence and its authors")
    void aboutItself() {
        Pom bom = Pom.of(ROOT.resolve("bom"));
        assertThat(Stream.concat(PUBLISHED.values().stream(), Stream.of(PARENT, bom)))
                .allSatisfy(pom -> {
                    assertThat(pom.text("name")).startsWith("Weir");
                    assertThat(pom.text("description")).endsWith(".");
                    assertThat(pom.text("licenses", "license", "name")).isEqualTo("Apache-2.0");
                });
        assertThat(PUBLISHED.values())
                .allSatisfy(pom -> assertThat(pom.text("parent", "artifactId")).isEqualTo(PARENT.text("artifactId")));
        assertThat(PARENT.text("developers", "developer", "name")).isNotEmpty();
        assertThat(bom.text("developers", "developer", "name")).isNotEmpty();
    }

    @Test
    @DisplayName("a release has the sources and the documentation of what is published, and of nothing else")
    void release() {
        assertThat(PARENT.goalsOf("release"))
                .containsExactly("maven-source-plugin:jar-no-fork", "maven-javadoc-plugin:jar");
        assertThat(PARENT.text("properties", "maven.deploy.skip")).isEqualTo("false");
        assertThat(PARENT.settingsOf("maven-source-plugin")).containsEntry("skipSource", "${maven.deploy.skip}");
        assertThat(PARENT.settingsOf("maven-javadoc-plugin"))
                .containsEntry("skip", "${maven.deploy.skip}")
                .containsEntry("doclint", "all");
    }

    @Test
    @DisplayName("no jar of tests is published, as every jar that a module attaches is")
    void noTests() {
        assertThat(Stream.concat(PUBLISHED.values().stream(), Stream.of(PARENT)))
                .allSatisfy(pom -> assertThat(pom.goals()).doesNotContain(JAR_OF_TESTS));
        assertThat(Pom.of(ROOT.resolve("spring-boot/contracts")).goals())
                .as("where there is one")
                .contains(JAR_OF_TESTS);
    }

    /** Of all modules that come with one. */
    private static Stream<String> librariesOf(Pom pom) {
        return pom.broughtAlong().stream()
                .flatMap(dependency -> dependency.isOurs()
                        ? librariesOf(PUBLISHED.get(dependency.artifact()))
                        : Stream.of(dependency.name()))
                .filter(library -> !OF_NO_GENERATION.contains(library));
    }
}
