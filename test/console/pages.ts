import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { violations } from './accessibility';
import type { Seeded } from './seed';
import { type WatchedPage, watchedPage } from './browser';

export const SCREENSHOTS = join(__dirname, 'screenshots');
const WIDTHS = [1400, 390] as const;
const THEMES = ['light', 'dark'] as const;
/** Pages that are open at the same time: each is drawn by a process of its own. */
const AT_ONCE = 2;

/** A page of the console. `ready` is a text or selector that is there when the page is loaded. */
export interface ConsolePage {
  readonly name: string;
  readonly path: string;
  readonly ready: string;
  readonly signedIn: boolean;
  /** In a workspace without workflows. */
  readonly fresh?: boolean;
  /** Parts of messages of the browser that belong to the page. */
  readonly allowed?: readonly string[];
}

/** Every page by its address. A new page has a row here. */
export const PAGES: readonly ConsolePage[] = [
  { name: 'sign-in', path: '/sign-in', ready: 'text=Sign in to Everstep', signedIn: false },
  { name: 'sign-up', path: '/sign-up', ready: 'text=Workspace name', signedIn: false },
  { name: 'forgot-password', path: '/forgot-password', ready: 'text=Send the link', signedIn: false },
  { name: 'reset-password', path: '/reset-password?token=abc', ready: 'text=Set the password', signedIn: false },
  { name: 'accept-invite', path: '/accept-invite?token=abc', ready: 'text=Join your team', signedIn: false },
  { name: 'verify-email', path: '/verify-email?token=abc', ready: 'text=Confirm your e-mail address', signedIn: false },
  { name: 'incomplete-link', path: '/verify-email', ready: 'text=The link is incomplete', signedIn: false },
  { name: 'first-visit', path: '', ready: 'text=Run your first workflow', signedIn: true, fresh: true },
  { name: 'home', path: '', ready: 'text=Refund 250 euros', signedIn: true },
  { name: 'workflows', path: '/workflows', ready: 'h1:has-text("Workflows")', signedIn: true },
  { name: 'approvals', path: '/approvals', ready: 'h1:has-text("Approvals")', signedIn: true },
  { name: 'deliveries', path: '/deliveries', ready: 'role=cell >> text=Refused', signedIn: true },
  { name: 'keys', path: '/keys', ready: 'text=Nightly import', signedIn: true },
  { name: 'members', path: '/members', ready: 'text=grace@example.com', signedIn: true },
  { name: 'single-sign-on', path: '/single-sign-on', ready: 'text=Role of group 1', signedIn: true },
  {
    name: 'single-sign-on-none',
    path: '/single-sign-on',
    ready: 'text=Save the settings first',
    signedIn: true,
    fresh: true,
    // Where there are no settings yet, the API says so with 404.
    allowed: ['/api/v1/sso/config'],
  },
  { name: 'audit', path: '/audit', ready: 'role=cell >> text=api_key.create', signedIn: true },
  { name: 'audit-none', path: '/audit?action=nothing.', ready: 'text=No event matches', signedIn: true, fresh: true },
  { name: 'service-account', path: '/members?open=service', ready: 'text=New service account', signedIn: true },
  { name: 'member-invite', path: '/members?open=invite', ready: 'text=Builds, runs and publishes', signedIn: true },
  { name: 'connections', path: '/connections', ready: 'text=Warehouse', signedIn: true },
  { name: 'connect', path: '/connections?connect=any', ready: 'text=Zendesk', signedIn: true },
  {
    name: 'register-app',
    path: '/connections?register=gitlab',
    ready: 'text=Host of the GitLab server',
    signedIn: true,
  },
  { name: 'register-other', path: '/connections?register=other', ready: 'text=Token endpoint', signedIn: true },
  {
    name: 'connections-none',
    path: '/connections',
    ready: 'text=No account is connected',
    signedIn: true,
    fresh: true,
  },
  { name: 'knowledge', path: '/knowledge', ready: 'text=Handbook', signedIn: true },
  { name: 'knowledge-new', path: '/knowledge?add=base', ready: 'text=Embedding model', signedIn: true },
  { name: 'knowledge-none', path: '/knowledge', ready: 'text=No knowledge bases yet', signedIn: true, fresh: true },
  { name: 'variables', path: '/variables', ready: 'text=shop_address', signedIn: true },
  {
    name: 'variable',
    path: '/variables?open=shop_address',
    ready: 'role=link >> text=Nightly charges',
    signedIn: true,
  },
  { name: 'variables-none', path: '/variables', ready: 'text=No variables yet', signedIn: true, fresh: true },
  { name: 'secrets', path: '/variables?show=secrets', ready: 'role=cell >> text=STRIPE_KEY', signedIn: true },
  {
    name: 'secret',
    path: '/variables?show=secrets&open=STRIPE_KEY',
    ready: 'role=link >> text=Nightly charges',
    signedIn: true,
  },
  { name: 'secret-new', path: '/variables?show=secrets&add=new', ready: 'text=It is not shown again', signedIn: true },
  { name: 'usage', path: '/usage', ready: 'text=Your plan', signedIn: true },
  { name: 'connectors', path: '/connectors', ready: 'text=Airtable', signedIn: true },
  { name: 'connector', path: '/connectors?open=github', ready: 'text=Enter credentials', signedIn: true },
  {
    name: 'connector-credentials',
    path: '/connectors?open=github&panel=connect',
    ready: 'text=The credentials are tested',
    signedIn: true,
  },
  { name: 'connector-import', path: '/connectors?panel=import', ready: 'text=Or its text', signedIn: true },
  { name: 'custom-nodes', path: '/connectors?show=nodes', ready: 'role=cell >> text=Weather', signedIn: true },
  {
    name: 'custom-node',
    path: '/connectors?show=nodes&open=custom-weather',
    ready: 'text=Send the request',
    signedIn: true,
  },
  { name: 'skills', path: '/skills', ready: 'text=invoice-check', signedIn: true },
  {
    name: 'skills-registry',
    path: '/skills?show=registry',
    ready: 'role=cell >> text=Analytical Engines',
    signedIn: true,
  },
  { name: 'skills-none', path: '/skills', ready: 'text=No skills yet', signedIn: true, fresh: true },
  { name: 'evaluations', path: '/evaluations', ready: 'text=Sorter that knows money', signedIn: true },
  { name: 'evaluations-none', path: '/evaluations', ready: 'text=No evaluations yet', signedIn: true, fresh: true },
  { name: 'evaluation-new', path: '/evaluations/new', ready: 'text=Add a metric', signedIn: true },
  { name: 'datasets', path: '/datasets', ready: 'text=Mails of customers', signedIn: true },
  { name: 'chats', path: '/chats', ready: 'text=Ask the bookshop', signedIn: true },
  { name: 'chats-none', path: '/chats', ready: 'text=No chats yet', signedIn: true, fresh: true },
  { name: 'chat-new', path: '/chats?open=new', ready: 'text=Create the chat', signedIn: true },
  { name: 'playground', path: '/playground', ready: 'text=The answer appears here.', signedIn: true },
  { name: 'branding', path: '/branding', ready: 'text=How visitors see it', signedIn: true },
  { name: 'schedules', path: '/schedules', ready: 'text=Next 24 hours', signedIn: true },
  { name: 'alerts', path: '/alerts', ready: 'text=Price import fails', signedIn: true },
  { name: 'alert-new', path: '/alerts?open=new', ready: 'text=Create the alert', signedIn: true },
  { name: 'queues', path: '/queues', ready: 'role=cell >> text=eu-central', signedIn: true },
  {
    name: 'queues-none',
    path: '/queues?kind=concurrency',
    ready: 'text=No queue matches',
    signedIn: true,
  },
  { name: 'approvals-history', path: '/approvals?show=history', ready: 'text=Approved', signedIn: true },
  { name: 'runs', path: '/runs', ready: 'h1:has-text("Runs")', signedIn: true },
  { name: 'runs-view', path: '/runs?q=Label.amount+%3D+%22250%22', ready: 'text=Large refunds', signedIn: true },
  {
    name: 'runs-none',
    path: '/runs?q=ExecutionStatus+%3D+%22TimedOut%22',
    ready: 'text=No run matches',
    signedIn: true,
  },
  { name: 'settings', path: '/settings', ready: 'text=Sign out everywhere', signedIn: true },
  { name: 'not-found', path: '/no/such/page', ready: 'text=There is nothing at this address', signedIn: true },
  { name: 'design-system', path: '/dev/ui', ready: 'text=Design system', signedIn: true },
];

/** The editor of a workflow that has runs. */
const editorPages = ({ workflow, completed }: Seeded): readonly ConsolePage[] =>
  [
    { name: 'editor', path: `/workflows/${workflow}`, ready: 'text=Valid' },
    {
      name: 'editor-step',
      path: `/workflows/${workflow}?step=manager&run=${completed}`,
      ready: '[aria-label="Value with the sample"]',
    },
    { name: 'editor-code', path: `/workflows/${workflow}?view=split`, ready: '[aria-label="Code of the workflow"]' },
    { name: 'editor-triggers', path: `/workflows/${workflow}?panel=triggers`, ready: 'text=curl -X POST' },
    { name: 'editor-try', path: `/workflows/${workflow}?panel=try`, ready: 'text=Run the trial' },
    { name: 'editor-versions', path: `/workflows/${workflow}?panel=versions`, ready: 'text=is live' },
    { name: 'editor-used-by', path: `/workflows/${workflow}?panel=used-by`, ready: 'text=No workflow uses this one' },
    { name: 'editor-schema', path: `/workflows/${workflow}?panel=schema`, ready: 'text=Open the JSON Schema' },
    { name: 'editor-generate', path: `/workflows/${workflow}?panel=generate`, ready: 'text=What should it do?' },
    { name: 'editor-new', path: '/workflows/new', ready: 'text=Add the first step' },
  ].map((page) => ({ ...page, signedIn: true }));

/** The pages of runs and workflows, of which there are some. */
export const seededPages = (seeded: Seeded): readonly ConsolePage[] => [
  ...runPages(seeded),
  ...editorPages(seeded),
  ...evaluationPages(seeded),
  ...knowledgePages(seeded),
  ...skillPages(seeded),
  ...chatPages(seeded),
];

const chatPages = ({ chat }: Seeded): readonly ConsolePage[] =>
  [
    { name: 'chat-talk', path: `/chats?open=${chat}`, ready: 'text=Messages start real runs' },
    { name: 'chat-embed', path: `/chats?open=${chat}&show=embed`, ready: 'text=data-color="#c2410c"' },
    { name: 'chat-settings', path: `/chats?open=${chat}&show=about`, ready: 'text=20 a minute, 10 at once' },
  ].map((page) => ({ ...page, signedIn: true }));

const skillPages = ({ skill }: Seeded): readonly ConsolePage[] =>
  [
    { name: 'skill', path: `/skills/${skill}`, ready: 'text=Models choose by it' },
    { name: 'skill-files', path: `/skills/${skill}?show=files&file=scripts/sum.js`, ready: 'text=Content' },
    { name: 'skill-versions', path: `/skills/${skill}?show=versions`, ready: 'text=The first one.' },
    { name: 'skill-try', path: `/skills/${skill}?show=try`, ready: 'role=button >> text=Try it' },
    { name: 'skill-published', path: `/skills?show=registry&open=${skill}`, ready: 'text=Read them first' },
  ].map((page) => ({ ...page, signedIn: true }));

const knowledgePages = ({ base, document }: Seeded): readonly ConsolePage[] =>
  [
    { name: 'knowledge-base', path: `/knowledge/${base}`, ready: 'text=Terms of the landlord' },
    {
      name: 'knowledge-document',
      path: `/knowledge/${base}?open=${document}`,
      ready: 'role=region >> text=The address could not be fetched',
    },
    { name: 'knowledge-text', path: `/knowledge/${base}?panel=text`, ready: 'text=Plain text or Markdown' },
    { name: 'knowledge-settings', path: `/knowledge/${base}?panel=settings`, ready: 'text=Tokens of a part' },
    { name: 'knowledge-search', path: `/knowledge/${base}?show=search&q=days+of+holiday`, ready: 'text=What it did' },
  ].map((page) => ({ ...page, signedIn: true }));

const evaluationPages = ({ dataset, evaluation, better }: Seeded): readonly ConsolePage[] =>
  [
    { name: 'evaluation', path: `/evaluations/${evaluation}`, ready: 'role=cell >> text=mail-01' },
    {
      name: 'evaluation-row',
      path: `/evaluations/${evaluation}?outcome=failed&row=mail-01`,
      ready: 'text=Open the run',
    },
    { name: 'evaluation-compare', path: `/evaluations/${evaluation}/compare/${better}`, ready: 'text=Better: 10' },
    { name: 'dataset', path: `/datasets/${dataset}`, ready: 'role=cell >> text=mail-01' },
    { name: 'dataset-row', path: `/datasets/${dataset}?row=mail-02`, ready: 'text=Expected output' },
    { name: 'dataset-runs', path: `/datasets/${dataset}?add=runs`, ready: 'text=Add the rows' },
  ].map((page) => ({ ...page, signedIn: true }));

const runPages = ({
  waiting,
  failed,
  completed,
  branched,
  schedule,
  delivery,
  alert,
  connection,
  app,
}: Seeded): readonly ConsolePage[] => [
  { name: 'run-waiting', path: `/runs/${waiting}`, ready: 'text=Waits for the approval manager', signedIn: true },
  {
    name: 'run-failed-step',
    path: `/runs/${failed}?step=fetch`,
    ready: 'text=Failed attempts',
    signedIn: true,
  },
  { name: 'run-steps', path: `/runs/${completed}?tab=steps`, ready: 'role=cell >> text=answer', signedIn: true },
  { name: 'run-graph', path: `/runs/${branched}?tab=graph`, ready: 'text=Book the stock', signedIn: true },
  { name: 'run-graph-waiting', path: `/runs/${waiting}?tab=graph`, ready: 'text=Pending', signedIn: true },
  {
    name: 'run-graph-step',
    path: `/runs/${branched}?tab=graph&step=pack/steps[4]/weigh`,
    ready: 'text=The scale does not answer',
    signedIn: true,
  },
  { name: 'run-loop', path: `/runs/${completed}?in=lines`, ready: 'text=price.2', signedIn: true },
  {
    name: 'run-loop-steps',
    path: `/runs/${completed}?tab=steps&in=lines&status=completed`,
    ready: 'role=cell >> text=price · 2',
    signedIn: true,
  },
  { name: 'run-log', path: `/runs/${completed}?tab=logs`, ready: 'text=Refund approved', signedIn: true },
  { name: 'run-data', path: `/runs/${completed}?tab=data`, ready: 'text=refunded', signedIn: true },
  { name: 'delivery', path: `/deliveries?open=${delivery}`, ready: 'text=Open the run', signedIn: true },
  { name: 'schedule', path: `/schedules?open=${schedule}`, ready: 'text=Backfilled', signedIn: true },
  { name: 'alert', path: `/alerts?open=${alert}`, ready: 'text=1 run has failed', signedIn: true },
  { name: 'connection', path: `/connections?open=${connection}`, ready: 'role=link >> text=Stock', signedIn: true },
  { name: 'oauth-app', path: `/connections?show=apps&open=${app}`, ready: 'text=Redirect address', signedIn: true },
  {
    name: 'run-compare',
    path: `/runs/${completed}/compare/${waiting}?show=all`,
    ready: 'role=cell >> text=Only in A',
    signedIn: true,
  },
  {
    name: 'run-compare-step',
    path: `/runs/${completed}/compare/${waiting}?step=order`,
    ready: 'role=region[name="order"] >> text=amount',
    signedIn: true,
  },
  { name: 'run-files', path: `/runs/${completed}?tab=files`, ready: 'text=No files', signedIn: true },
];

export interface Target {
  readonly browser: Browser;
  readonly url: string;
  readonly token: string;
  /** Of a workspace without workflows. */
  readonly fresh: string;
}

/** Opens every page in both themes and widths: no violation of axe or the policy, no error, no sideways scrolling; a screenshot of each. */
export async function visitPages({ browser, url, token, fresh }: Target, pages = PAGES): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const faults: string[] = [];
  for (const theme of THEMES) {
    for (const width of WIDTHS) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: theme,
        reducedMotion: 'reduce',
      });
      try {
        const left = pages.values();
        const visit = async (): Promise<void> => {
          for (const each of left)
            faults.push(...(await faultsOf(context, each, { url, token: each.fresh ? fresh : token, theme, width })));
        };
        await Promise.all(Array.from({ length: AT_ONCE }, visit));
      } finally {
        await context.close();
      }
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

interface Setting {
  readonly url: string;
  readonly token: string;
  readonly theme: string;
  readonly width: number;
}

async function faultsOf(context: BrowserContext, wanted: ConsolePage, setting: Setting): Promise<string[]> {
  const { url, token, theme, width } = setting;
  const watched: WatchedPage = await watchedPage(context);
  const { page } = watched;
  const where = `${wanted.name} (${theme}, ${width} px)`;
  try {
    if (wanted.signedIn) await page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    await page.goto(`${url}/console${wanted.path}`);
    await page.waitForSelector(wanted.ready);
    await page.waitForFunction(
      () => document.querySelector('.skeleton-rows, .skeleton') === null || location.pathname.endsWith('/dev/ui'),
    );
    await page.screenshot({ path: join(SCREENSHOTS, `${wanted.name}-${theme}-${width}.png`), fullPage: true });
    const faults = await violations(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) faults.push(`${overflow} px wider than the screen`);
    faults.push(...watched.faults(wanted.allowed));
    return faults.map((fault) => `${where}: ${fault}`);
  } catch (error) {
    return [`${where}: ${String(error)}`, ...watched.faults()];
  } finally {
    await page.close();
  }
}
