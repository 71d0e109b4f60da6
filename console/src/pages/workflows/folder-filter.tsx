import { useQuery } from '@tanstack/react-query';
import { Button, Select } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { foldersQuery } from './queries';

interface FolderFilterProps {
  readonly folder: string | undefined;
  onFolder(folder: string | undefined): void;
  onAccess(): void;
}

/** The folders that the user may see, if there are any, and the access to the one that is shown. */
export function FolderFilter({ folder, onFolder, onAccess }: FolderFilterProps) {
  const folders = useQuery(foldersQuery);
  const named = (folders.data?.data ?? []).filter((each) => each.folder !== '');
  if (named.length === 0 && folder === undefined) return null;
  const options = named.map((each) => ({
    value: each.folder,
    label: each.restricted ? `${each.folder} (restricted)` : each.folder,
  }));
  const isListed = folder === undefined || named.some((each) => each.folder === folder);
  return (
    <>
      <Select
        aria-label="Folder"
        options={[
          { value: '', label: 'All folders' },
          ...options,
          ...(isListed ? [] : [{ value: folder, label: folder }]),
        ]}
        value={folder ?? ''}
        onChange={({ currentTarget: { value } }) => onFolder(value === '' ? undefined : value)}
      />
      {folder !== undefined && (
        <Button icon={KeyIcon} onClick={onAccess}>
          Access
        </Button>
      )}
    </>
  );
}
