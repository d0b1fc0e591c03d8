package dev.weir.proof;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;

/** The rules that hold in more than one module. */
final class HouseRules {

    /**
     * Calls that park the thread, or spin through the scheduler; by the class that declares them or a subclass. Those who keep
     * blocking calls off event loops, BlockHound among them, count {@code onSpinWait} as one.
     */
    private static final Map<String, Set<String>> PARKING = Map.ofEntries(
            Map.entry("java.lang.Thread", Set.of("sleep", "join", "yield", "onSpinWait")),
            Map.entry("java.lang.Object", Set.of("wait")),
            Map.entry("java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("java.util.concurrent.locks.Lock", Set.of("lock", "lockInterruptibly", "tryLock")),
            Map.entry("java.util.concurrent.locks.StampedLock", Set.of("readLock", "writeLock")),
            Map.entry("java.util.concurrent.locks.Condition", Set.of("await", "awaitNanos", "awaitUninterruptibly")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep", "timedJoin", "timedWait")),
            Map.entry("java.util.concurrent.Future", Set.of("get", "join")),
            Map.entry("java.util.concurrent.CountDownLatch", Set.of("await")),
            Map.entry("java.util.concurrent.CyclicBarrier", Set.of("await")),
            Map.entry("java.util.concurrent.Exchanger", Set.of("exchange")),
            Map.entry("java.util.concurrent.Semaphore", Set.of("acquire", "acquireUninterruptibly")),
            Map.entry("java.util.concurrent.BlockingQueue", Set.of("take", "put")),
            Map.entry("java.util.concurrent.ExecutorService", Set.of("invokeAll", "invokeAny", "awaitTermination")),
            Map.entry("reactor.core.publisher.Mono", Set.of("block", "blockOptional")),
            Map.entry("reactor.core.publisher.Flux", Set.of("blockFirst", "blockLast", "toIterable", "toStream")),
            Map.entry("io.reactivex.rxjava3.core.Flowable", blockingOf("Iterable", "Stream", "First", "Last")),
            Map.entry("io.reactivex.rxjava3.core.Observable", blockingOf("Iterable", "Stream", "First", "Last")),
            Map.entry("io.reactivex.rxjava3.core.Single", blockingOf("Get")),
            Map.entry("io.reactivex.rxjava3.core.Maybe", blockingOf("Get")),
            Map.entry("io.reactivex.rxjava3.core.Completable", blockingOf("Await")));

    private static final DescribedPredicate<JavaClass> READS_THE_CLOCK = name("dev.weir.time.SystemTimeSource")
            .or(name("dev.weir.time.SystemTimeSource$Threads"))
            .forSubtype();

    /** Dates of HTTP are those of the calendar; whoever builds the filter may set the clock. */
    private static final DescribedPredicate<JavaClass> READS_THE_CALENDAR =
            name("dev.weir.webflux.RateLimitExchangeFilter$Builder").forSubtype();

    private static final DescribedPredicate<JavaClass> BLOCKS_BY_CONTRACT =
            name("dev.weir.RateGate").forSubtype();

    private static final DescribedPredicate<JavaClass> SLEEPS_ON_ITS_OWN_THREAD =
            name("dev.weir.time.TimerThread").forSubtype();

    /** Types of which an operator is made. */
    private static final List<String> SIGNALS = List.of(
            "org.reactivestreams.Publisher",
            "org.reactivestreams.Subscriber",
            "org.reactivestreams.Subscription",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.Observer",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.SingleObserver",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.MaybeObserver",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.CompletableObserver",
            "io.reactivex.rxjava3.disposables.Disposable");

    static final DescribedPredicate<JavaClass> ARE_PARTS_OF_OPERATORS =
            describe("are parts of operators", type -> SIGNALS.stream().anyMatch(type::isAssignableTo));

    private HouseRules() {}

    private static Set<String> blockingOf(String... ends) {
        return Arrays.stream(ends).map(end -> "blocking" + end).collect(Collectors.toUnmodifiableSet());
    }

    /** Arrows: the JDK, the annotations of nullness and these, nothing else. */
    static ArchRule dependOnlyOn(String... packages) {
        return classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("java..", "org.jspecify..").or(resideInAnyPackage(packages)));
    }

    static ArchRule nothingParks() {
        ArchRule calls = noClasses()
                .that(not(BLOCKS_BY_CONTRACT.or(SLEEPS_ON_ITS_OWN_THREAD)))
                .should(accessTargetWhere(describe("parks", HouseRules::parks)));
        ArchRule monitors = methods()
                .should()
                .notHaveModifier(JavaModifier.SYNCHRONIZED)
                .because("a monitor parks, and BlockHound cannot see it");
        return CompositeArchRule.of(calls).and(monitors);
    }

    private static boolean parks(JavaAccess<?> call) {
        return PARKING.entrySet().stream()
                .anyMatch(entry -> entry.getValue().contains(call.getName())
                        && call.getTargetOwner().isAssignableTo(entry.getKey()));
    }

    static ArchRule onlyTheSystemTimeSourceReadsTheClock() {
        return noClasses()
                .that(not(READS_THE_CLOCK.or(READS_THE_CALENDAR)))
                .should(accessTargetWhere(describe("reads a clock of the JVM", HouseRules::readsTheClock)));
    }

    private static boolean readsTheClock(JavaAccess<?> call) {
        return switch (call.getTargetOwner().getName()) {
            case "java.lang.System" ->
                call.getName().equals("nanoTime") || call.getName().equals("currentTimeMillis");
            case "java.time.Clock" ->
                call.getName().startsWith("system") || call.getName().startsWith("tick");
            case "java.time.Instant", "java.time.LocalDateTime", "java.time.ZonedDateTime" ->
                call.getName().equals("now");
            default -> false;
        };
    }

    static ArchRule onlyTimeOwnsThreadsAndTimers() {
        return noClasses()
                .that(not(resideInAPackage("dev.weir.time")))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(ScheduledExecutorService.class, ExecutorService.class, Timer.class)
                .orShould(accessTargetWhere(describe("makes a thread", HouseRules::makesAThread)));
    }

    private static boolean makesAThread(JavaAccess<?> call) {
        return call.getName().equals(JavaConstructor.CONSTRUCTOR_NAME)
                && call.getTargetOwner().isEquivalentTo(Thread.class);
    }

    static ArchRule operatorsAreFinalAndPackagePrivate() {
        return classes()
                .that(ARE_PARTS_OF_OPERATORS)
                .and(not(modifier(JavaModifier.ABSTRACT)))
                .and()
                .areTopLevelClasses()
                .should()
                .bePackagePrivate()
                .andShould()
                .haveModifier(JavaModifier.FINAL);
    }

    static ArchRule classesAreFinalAndNamedForWhatTheyAre() {
        ArchRule areFinal = classes()
                .that(not(modifier(JavaModifier.ABSTRACT)))
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .should()
                .haveModifier(JavaModifier.FINAL);
        ArchRule names = noClasses()
                .should()
                .haveNameMatching(".*(Impl|Manager|Helper|Util|Utils)(\\$.*)?|.*\\.(Abstract|Default)[A-Z].*");
        return CompositeArchRule.of(areFinal).and(names);
    }
}
