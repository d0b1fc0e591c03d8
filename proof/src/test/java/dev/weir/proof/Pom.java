package dev.weir.proof;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** What a {@code pom.xml} says, as it stands there. */
record Pom(Element project) {

    /** A dependency; scope and optional are empty where nothing is said. */
    record Dependency(String group, String artifact, String version, String scope, String optional) {

        String name() {
            return group + ":" + artifact;
        }

        /** Whether who depends on the module gets it, too. */
        boolean isBroughtAlong() {
            return scope.isEmpty() && optional.isEmpty();
        }

        boolean isOurs() {
            return group.equals("dev.weir");
        }
    }

    static Pom of(Path module) {
        try {
            return new Pom(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(module.resolve("pom.xml").toFile())
                    .getDocumentElement());
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new AssertionError(e);
        }
    }

    String text(String... path) {
        return in(project, path)
                .map(Node::getTextContent)
                .map(String::strip)
                .findAny()
                .orElse("");
    }

    List<String> modules() {
        return in(project, "modules", "module").map(Node::getTextContent).toList();
    }

    /** Those that consumers get with it. */
    List<Dependency> broughtAlong() {
        return dependencies("dependencies").stream()
                .filter(Dependency::isBroughtAlong)
                .toList();
    }

    List<Dependency> managed() {
        return dependencies("dependencyManagement", "dependencies");
    }

    /** What is done in addition to what the packaging does, as {@code plugin:goal}. */
    List<String> goals() {
        return goalsIn(Stream.of(project));
    }

    /** What a profile does in addition, as {@code plugin:goal}. */
    List<String> goalsOf(String profile) {
        return goalsIn(in(project, "profiles", "profile")
                .filter(found -> text(found, "id").equals(profile)));
    }

    private static List<String> goalsIn(Stream<Element> around) {
        return around.flatMap(found -> in(found, "build", "plugins", "plugin"))
                .flatMap(plugin -> in(plugin, "executions", "execution", "goals", "goal")
                        .map(goal -> text(plugin, "artifactId") + ":" + goal.getTextContent()))
                .toList();
    }

    /** How a plugin is configured wherever it runs. */
    Map<String, String> settingsOf(String plugin) {
        return in(project, "build", "pluginManagement", "plugins", "plugin")
                .filter(found -> text(found, "artifactId").equals(plugin))
                .flatMap(found -> in(found, "configuration"))
                .flatMap(Pom::children)
                .collect(Collectors.toMap(Element::getTagName, Element::getTextContent));
    }

    private List<Dependency> dependencies(String... place) {
        List<String> path = new ArrayList<>(List.of(place));
        path.add("dependency");
        return in(project, path.toArray(String[]::new))
                .map(found -> new Dependency(
                        text(found, "groupId"),
                        text(found, "artifactId"),
                        text(found, "version"),
                        text(found, "scope"),
                        text(found, "optional")))
                .toList();
    }

    private static String text(Element around, String name) {
        return in(around, name).map(Node::getTextContent).findAny().orElse("");
    }

    private static Stream<Element> in(Element around, String... path) {
        Stream<Element> found = Stream.of(around);
        for (String name : path) {
            found = found.flatMap(Pom::children)
                    .filter(element -> element.getTagName().equals(name));
        }
        return found;
    }

    private static Stream<Element> children(Element around) {
        List<Element> found = new ArrayList<>();
        for (Node child = around.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element) {
                found.add(element);
            }
        }
        return found.stream();
    }
}
