import type { LinkOptions } from '@tanstack/react-router';
import {
  ApprovalsIcon,
  BellIcon,
  ConnectorIcon,
  CompletedIcon,
  DataIcon,
  DeliveriesIcon,
  ExpressionIcon,
  GenerateIcon,
  GuideIcon,
  HomeIcon,
  type Icon,
  KeyIcon,
  MessageIcon,
  PlayIcon,
  RunsIcon,
  QueuedIcon,
  ScheduleIcon,
  SettingsIcon,
  UserIcon,
  StorageIcon,
  SystemThemeIcon,
  VersionsIcon,
  WorkflowIcon,
} from '../ui/icon';
import { useMe } from './queries';

interface NavigationEntry {
  readonly label: string;
  readonly icon: Icon;
  readonly to: LinkOptions['to'];
  /** Shows the number of approvals that wait for the user. */
  readonly countsApprovals?: boolean;
  /** In the lower part of the side bar. */
  readonly secondary?: boolean;
  /** For operators of the installation alone. */
  readonly operators?: boolean;
}

/** The side navigation, in its order. Each entry is in the palette, too. */
const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Home', icon: HomeIcon, to: '/' },
  { label: 'Workflows', icon: WorkflowIcon, to: '/workflows' },
  { label: 'Runs', icon: RunsIcon, to: '/runs' },
  { label: 'Approvals', icon: ApprovalsIcon, to: '/approvals', countsApprovals: true },
  { label: 'Schedules', icon: ScheduleIcon, to: '/schedules' },
  { label: 'Queues', icon: QueuedIcon, to: '/queues' },
  { label: 'Alerts', icon: BellIcon, to: '/alerts' },
  { label: 'Deliveries', icon: DeliveriesIcon, to: '/deliveries' },
  { label: 'Chats', icon: MessageIcon, to: '/chats' },
  { label: 'Connections', icon: ConnectorIcon, to: '/connections' },
  { label: 'Knowledge', icon: GuideIcon, to: '/knowledge' },
  { label: 'Variables', icon: ExpressionIcon, to: '/variables' },
  { label: 'Connectors', icon: StorageIcon, to: '/connectors' },
  { label: 'Skills', icon: GenerateIcon, to: '/skills' },
  { label: 'Playground', icon: PlayIcon, to: '/playground' },
  { label: 'Evaluations', icon: CompletedIcon, to: '/evaluations' },
  { label: 'Usage', icon: DataIcon, to: '/usage', secondary: true },
  { label: 'Members', icon: UserIcon, to: '/members', secondary: true },
  { label: 'API keys', icon: KeyIcon, to: '/keys', secondary: true },
  { label: 'Audit log', icon: VersionsIcon, to: '/audit', secondary: true },
  { label: 'Settings', icon: SettingsIcon, to: '/settings', secondary: true },
  { label: 'System', icon: SystemThemeIcon, to: '/system', secondary: true, operators: true },
];

const OF_TENANTS = NAVIGATION.filter(({ operators }) => !operators);

/** The entries for the signed-in user. */
export const useNavigation = (): readonly NavigationEntry[] => (useMe().data?.operator ? NAVIGATION : OF_TENANTS);
