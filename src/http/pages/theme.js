/**
 * Sets, before anything is drawn, the theme that the reader chose here or in the console; the default is the system's.
 */
try {
  const theme = localStorage.getItem('rowhouse.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that refuses its storage shows the system's theme.
}
document.documentElement.dataset.scripted = '';
