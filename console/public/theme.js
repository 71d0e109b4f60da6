// Runs before the first paint: sets the theme that the user has chosen over the system's.
try {
  const theme = localStorage.getItem('everstep.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked, so there is no choice to apply.
}
