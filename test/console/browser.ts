import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const hasChromium = (): boolean => existsSync(CHROMIUM);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });

export interface Scene {
  readonly browser: Browser;
  readonly url: string;
  /** The folder of the server's data. */
  readonly dataDir: string;
  /** SIGKILL, and a start with the same data. */
  readonly restart: () => Promise<void>;
}

/** Faults that a page has reported: errors of scripts, violations of the policy, and errors on its console. */
export interface WatchedPage {
  readonly page: Page;
  /** The faults since the last call. `allowed` are parts of texts that are expected. */
  faults(allowed?: readonly string[]): string[];
  /** Throws when there are any. */
  assertClean(where: string, allowed?: readonly string[]): void;
}

/** A page that records what must not happen. */
export async function watchedPage(context: BrowserContext): Promise<WatchedPage> {
  const faults: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  await page.exposeFunction('reportViolation', (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (window as unknown as { reportViolation(text: string): void }).reportViolation;
      report(
        `${event.violatedDirective} refused ${event.blockedURI} ${event.sample} at ${event.sourceFile}:${event.lineNumber}`,
      );
    });
  });
  const taken = (allowed: readonly string[] = []): string[] =>
    faults.splice(0).filter((fault) => !allowed.some((part) => fault.includes(part)));
  return {
    page,
    faults: taken,
    assertClean(where, allowed) {
      const found = taken(allowed);
      if (found.length > 0) throw new Error(`${where}:\n${found.join('\n')}`);
    },
  };
}

/**
 * Takes the time from the request for a page until an element with the text is in it, by the clock of the page: what the
 * test waits for is noticed later on a busy machine. Answers the time of the page that is open, in milliseconds.
 */
export async function stopwatch(page: Page, selector: string, text: string): Promise<() => Promise<number>> {
  await page.addInitScript(
    ([wanted, part]) => {
      const isShown = (): boolean =>
        [...document.querySelectorAll(wanted)].some(({ textContent }) => textContent?.includes(part));
      const observer = new MutationObserver(() => {
        if (!isShown()) return;
        observer.disconnect();
        // When it is drawn.
        requestAnimationFrame(() => setTimeout(() => performance.mark('shown')));
      });
      observer.observe(document, { childList: true, subtree: true, characterData: true });
    },
    [selector, text] as const,
  );
  return async () => {
    const mark = await page.waitForFunction(() => performance.getEntriesByName('shown')[0]?.startTime);
    return Math.round((await mark.jsonValue()) ?? Number.NaN);
  };
}

/** A machine on which a page counts so far in so many milliseconds is as fast as the limits of the tests assume. */
const COUNTED = 3_000_000;
const COUNTED_MS = 20;

/**
 * How many times as long this machine takes as the one that the limits are for; 1 for a faster one. The mean of many rounds:
 * time in which other processes have the processor counts.
 */
async function slowness(page: Page): Promise<number> {
  const mean = await page.evaluate((end) => {
    const rounds = 20;
    let sum = 0;
    const count = (): void => {
      for (let n = 0; n < end; n++) sum = (sum + n * 7) % 1_000_003;
    };
    // Compiled before it is measured.
    for (let round = 0; round < 3; round++) count();
    const began = performance.now();
    for (let round = 0; round < rounds; round++) count();
    // The sum is used, so that the loop is not left out.
    return (performance.now() - began + sum * 1e-9) / rounds;
  }, COUNTED);
  return Math.max(1, mean / COUNTED_MS);
}

/** Fails when `took` is longer than `limit`, both in milliseconds, on a machine as fast as the limit is for. */
export async function assertWithin(page: Page, what: string, took: number, limit: number): Promise<void> {
  const allowed = limit * (await slowness(page));
  if (took > allowed)
    throw new Error(`${what} took ${Math.round(took)} ms; on this machine ${Math.round(allowed)} are allowed`);
}
