import { createElement } from 'react';
import type { NodeTypeRow } from '../../api/client';
import { blockTypeOf } from '../../model/document';
import {
  ApprovalsIcon,
  BranchIcon,
  ClockIcon,
  CodeIcon,
  ConnectorIcon,
  DataIcon,
  FailedIcon,
  GenerateIcon,
  HttpIcon,
  type Icon,
  LogIcon,
  LoopIcon,
  MessageIcon,
  ParallelIcon,
  RetryIcon,
  StopIcon,
  StorageIcon,
  WarningIcon,
  WorkflowIcon,
} from '../icon';

const BLOCKS: Readonly<Record<string, Icon>> = {
  branch: BranchIcon,
  parallel: ParallelIcon,
  foreach: LoopIcon,
  while: RetryIcon,
  try: WarningIcon,
};
const TYPES: Readonly<Record<string, Icon>> = {
  approval: ApprovalsIcon,
  wait: ClockIcon,
  wait_for_signal: ClockIcon,
  wait_for_form: ApprovalsIcon,
  stop: StopIcon,
  fail: FailedIcon,
  log: LogIcon,
  sub_workflow: WorkflowIcon,
  http_request: HttpIcon,
  webhook_response: HttpIcon,
  code: CodeIcon,
  email_send: MessageIcon,
  ...of(DataIcon, 'set', 'filter', 'sort', 'aggregate', 'dedupe', 'json', 'csv', 'xml', 'html_extract', 'markdown'),
  ...of(DataIcon, 'datetime', 'crypto', 'template'),
  ...of(StorageIcon, 'database_query', 'redis', 's3', 'file_write', 'file_read', 'file_share'),
  ...of(GenerateIcon, 'llm', 'agent', 'skill', 'classify', 'extract', 'embed', 'kb_query', 'kb_add'),
};

function of(icon: Icon, ...types: readonly string[]): Readonly<Record<string, Icon>> {
  return Object.fromEntries(types.map((type) => [type, icon]));
}

const CATEGORIES: Readonly<Record<string, Icon>> = {
  Flow: ClockIcon,
  Data: DataIcon,
  Code: CodeIcon,
  HTTP: HttpIcon,
  Storage: StorageIcon,
  AI: GenerateIcon,
  Knowledge: GenerateIcon,
  Communication: MessageIcon,
};

/** By its name, or its category. */
function iconOf(row: NodeTypeRow | undefined, type: unknown): Icon {
  const block = blockTypeOf(type);
  const name = row?.type ?? (typeof type === 'string' ? type : '');
  return (
    (block === null ? undefined : BLOCKS[block]) ?? TYPES[name] ?? CATEGORIES[row?.category ?? ''] ?? ConnectorIcon
  );
}

interface TypeIconProps {
  /** Of the catalogue; without it, built-in types alone have icons of their own. */
  readonly row?: NodeTypeRow;
  readonly type: unknown;
}

/** The icon of a type of steps. */
export const TypeIcon = ({ row, type }: TypeIconProps) =>
  createElement(iconOf(row, type), { size: 18, 'aria-hidden': true });
