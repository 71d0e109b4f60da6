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
  LoopIcon,
  MessageIcon,
  ParallelIcon,
  RetryIcon,
  StopIcon,
  StorageIcon,
  WarningIcon,
  WorkflowIcon,
} from '../../ui/icon';

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
  stop: StopIcon,
  fail: FailedIcon,
  sub_workflow: WorkflowIcon,
};
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
  readonly row?: NodeTypeRow;
  readonly type: unknown;
}

/** The icon of a type of steps. */
export const TypeIcon = ({ row, type }: TypeIconProps) =>
  createElement(iconOf(row, type), { size: 18, 'aria-hidden': true });
