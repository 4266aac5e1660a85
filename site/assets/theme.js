// Before anything is drawn: the theme that was chosen here, else that of the system.
{
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const chosen = () => {
    try {
      return localStorage.getItem("chorus-docs-theme")
    } catch {
      return null
    }
  }
  const apply = () => {
    document.documentElement.dataset.theme = chosen() ?? (dark.matches ? "dark" : "light")
  }
  apply()
  dark.addEventListener("change", apply)
}
