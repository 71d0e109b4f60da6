import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { api } from '../api/client';
import { bestMatches, guideEntries, type PaletteEntry, runIdIn } from '../model/palette';
import { statusLook } from '../model/status';
import {
  DarkThemeIcon,
  GuideIcon,
  type Icon,
  LightThemeIcon,
  RunsIcon,
  SignOutIcon,
  SystemThemeIcon,
  WorkflowIcon,
} from '../ui/icon';
import { useNavigation } from './navigation';
import { setTheme } from './theme';
import { signOut } from './user-section';

export interface Command extends PaletteEntry {
  readonly id: string;
  readonly group: string;
  readonly icon: Icon;
  readonly run: () => void;
}

const MAX_LOCAL = 8;
const MAX_WORKFLOWS = 6;
const MAX_GUIDES = 5;
/** Of the text, before the server is asked. */
const SETTLE_MS = 150;

/** The commands that fit the text, in the order in which they are shown; `loading` while the server is asked. */
export function useCommands(query: string): { readonly commands: readonly Command[]; readonly loading: boolean } {
  const local = useLocalCommands();
  const settled = useSettled(useDeferredValue(query.trim()));
  const workflows = useWorkflows(settled);
  const run = useRun(settled);
  const guides = useGuides(settled);
  const commands = [
    ...run.commands,
    ...bestMatches(local, query, query.trim() === '' ? local.length : MAX_LOCAL),
    ...workflows.commands,
    ...guides,
  ];
  return { commands, loading: workflows.loading || run.loading || settled !== query.trim() };
}

function useLocalCommands(): readonly Command[] {
  const navigate = useNavigate();
  const pages = useNavigation();
  return useMemo(
    () =>
      [
        ...pages.map(({ label, icon, to }) => ({ label, group: 'Pages', icon, run: () => void navigate({ to }) })),
        { label: 'Use the light theme', group: 'Actions', icon: LightThemeIcon, run: () => setTheme('light') },
        { label: 'Use the dark theme', group: 'Actions', icon: DarkThemeIcon, run: () => setTheme('dark') },
        { label: "Use the system's theme", group: 'Actions', icon: SystemThemeIcon, run: () => setTheme('system') },
        { label: 'Sign out', keywords: 'log out', group: 'Actions', icon: SignOutIcon, run: () => void signOut() },
      ].map((command) => ({ ...command, id: command.label })),
    [navigate, pages],
  );
}

/** Workflows by their name, steps and connectors. */
function useWorkflows(q: string) {
  const navigate = useNavigate();
  const found = useQuery(
    queryOptions({
      queryKey: ['workflows', 'palette', q],
      queryFn: ({ signal }) => api.workflows.list({ q, limit: MAX_WORKFLOWS }, { signal }),
      enabled: q !== '',
    }),
  );
  const commands = (q === '' ? [] : (found.data?.data ?? [])).map(
    ({ id, name }): Command => ({
      id,
      label: name,
      group: 'Workflow',
      icon: WorkflowIcon,
      run: () => void navigate({ to: '/workflows/$id', params: { id } }),
    }),
  );
  return { commands, loading: found.isLoading };
}

/** The run whose id is in the text. */
function useRun(query: string) {
  const navigate = useNavigate();
  const id = runIdIn(query);
  const found = useQuery(
    queryOptions({
      queryKey: ['executions', 'palette', id],
      queryFn: ({ signal }) => api.executions.get({ id: id ?? '' }, { signal }),
      enabled: id !== null,
      retry: false,
    }),
  );
  const run = id === null ? undefined : found.data;
  const commands: Command[] =
    run === undefined
      ? []
      : [
          {
            id: run.id,
            label: `${run.workflow_name ?? 'Run'}, ${statusLook(run.status).label.toLowerCase()}`,
            group: 'Run',
            icon: RunsIcon,
            run: () => void navigate({ to: '/runs/$id', params: { id: run.id } }),
          },
        ];
  return { commands, loading: found.isLoading };
}

/** Guides and their headings. They open beside the console. */
function useGuides(query: string): readonly Command[] {
  const guides = useQuery(
    queryOptions({
      queryKey: ['guides'],
      queryFn: ({ signal }) => api.docs.guides({}, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
  );
  const entries = useMemo(() => guideEntries(guides.data), [guides.data]);
  if (query === '') return [];
  return bestMatches(entries, query, MAX_GUIDES).map(({ label, keywords, address }) => ({
    id: address,
    label,
    ...(keywords === undefined ? {} : { keywords }),
    group: 'Help',
    icon: GuideIcon,
    run: () => void window.open(address, '_blank', 'noopener'),
  }));
}

/** The value, once it has been the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
