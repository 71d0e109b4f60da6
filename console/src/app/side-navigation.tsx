import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Count } from '../ui';
import { useNavigation } from './navigation';
import { approvalsCountQuery } from './queries';

export function SideNavigation() {
  const approvals = useQuery(approvalsCountQuery).data?.mine ?? 0;
  const navigation = useNavigation();
  const list = (secondary: boolean) => (
    <ul>
      {navigation
        .filter((entry) => (entry.secondary ?? false) === secondary)
        .map(({ label, icon: Glyph, to, countsApprovals = false }) => (
          <li key={label}>
            <Link to={to} className="side-link" activeOptions={{ exact: to === '/', includeSearch: false }}>
              <Glyph size={16} aria-hidden="true" />
              <span>{label}</span>
              {countsApprovals && <Count value={approvals} label="waiting for you" />}
            </Link>
          </li>
        ))}
    </ul>
  );
  return (
    <nav className="side-navigation" aria-label="Main">
      {list(false)}
      {list(true)}
    </nav>
  );
}
