package dev.weir.samples.crawler;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The pages of a website about water birds: a tree, whose pages also lead home and to the page next to them. */
final class SitePages {

    private static final List<String> SETTINGS = List.of(
            "early patient quiet watchful cheerful hungry solitary proud nimble drowsy curious gentle hasty tireless wary"
                    .split(" "));
    private static final List<String> BIRDS = List.of(
            "heron dipper kingfisher wagtail osprey mallard swan cormorant grebe moorhen coot egret bittern plover snipe"
                    .split(" "));

    private static final int COUNT = SETTINGS.size() * BIRDS.size();
    private static final int BRANCHES = 6;

    private SitePages() {}

    /** Returns the text of every page by its path; the home page is {@code /}. */
    static Map<String, String> write() {
        Map<String, String> pages = new TreeMap<>();
        for (int page = 0; page < COUNT; page++) {
            pages.put(path(page), html(page));
        }
        return pages;
    }

    private static String html(int page) {
        IntStream branches = IntStream.rangeClosed(1, BRANCHES).map(branch -> page * BRANCHES + branch);
        IntStream others = IntStream.of(0, (page + 1) % COUNT);
        String links = IntStream.concat(branches.filter(branch -> branch < COUNT), others)
                .mapToObj(other -> "<li><a href=\"" + path(other) + "\">" + title(other) + "</a>")
                .collect(joining("\n"));
        return "<!doctype html><title>%1$s</title><h1>%1$s</h1>\n<ul>\n%2$s\n</ul>\n".formatted(title(page), links);
    }

    private static String path(int page) {
        return page == 0 ? "/" : "/" + title(page).replace(' ', '-');
    }

    private static String title(int page) {
        if (page == 0) {
            return "birds of the weir";
        }
        int manner = page % SETTINGS.size();
        int bird = (page + page / SETTINGS.size()) % BIRDS.size();
        return SETTINGS.get(manner) + " " + BIRDS.get(bird);
    }
}
