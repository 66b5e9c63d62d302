// Explains how to install a library that is missing when a program is loaded.

/** The package with the library: for apt-get on Debian and Ubuntu, and for dnf on Fedora and related systems. */
const packages = {
  libatomic: ['libatomic1', 'libatomic'],
  'libstdc++': ['libstdc++6', 'libstdc++'],
  libgcc_s: ['libgcc-s1', 'libgcc'],
};

/** @param error the system's message when loading the program failed */
export function howToLoad(error) {
  const library = /(lib[\w.+-]+): cannot open shared object file/.exec(error)?.[1];
  const names = packages[library?.split('.so')[0]];
  if (names !== undefined) {
    const [apt, dnf] = names;
    return `Install the library, and run the same command again:\n  apt-get install ${apt}    (Debian, Ubuntu)\n  dnf install ${dnf}    (Fedora, RHEL)`;
  }
  if (library !== undefined) return `Install ${library}, and run the same command again.`;
  return 'It is built for systems with the GNU C library; on Alpine install Node itself: apk add nodejs-current npm';
}
