# Stands in for Homebrew: runs `install` and `test` of a formula, and prints as JSON what they would do.
# formula-double.rb FORMULA FOLDER

require "json"
require "pathname"

CALLS = []

class Pathname
  def write_env_script(target, env)
    dirname.mkpath
    exports = env.map { |key, value| "#{key}=\"#{value}\"" }.join(" ")
    write("#!/bin/bash\n#{exports} exec \"#{target}\"  \"$@\"\n")
    chmod(0o755)
  end

  def install_symlink(files)
    CALLS << ["install_symlink", to_s, *files.map(&:to_s)]
  end
end

class Formula
  FACTS = {}
  class << self
    %i[desc homepage url sha256 license depends_on].each do |name|
      define_method(name) { |value| FACTS[name] = value }
    end
    def livecheck; end

    def test(&block)
      define_method(:run_test, &block)
    end

    def [](name)
      Struct.new(:opt_bin).new(Pathname(ARGV[1]) / "opt" / name / "bin")
    end
  end

  attr_reader :prefix

  def initialize(folder)
    @prefix = folder / "Cellar/converge/1"
    @opt = folder / "opt/converge"
  end

  def bin = prefix / "bin"
  def man1 = prefix / "share/man/man1"
  def man5 = prefix / "share/man/man5"
  def libexec = prefix / "libexec"
  def opt_libexec = @opt / "libexec"
  def testpath = prefix.parent
  def version = "0.1.0"
  def std_npm_args = ["--prefix=#{libexec}"]
  def system(*words) = CALLS << words.map(&:to_s)
  def generate_completions_from_executable(*words) = CALLS << ["completions", *words.map(&:to_s)]

  def shell_output(line)
    CALLS << ["shell", line]
    `#{line}`
  end

  def assert_match(expected, found)
    CALLS << ["match", expected, found.strip] if found.include?(expected)
  end
end

load ARGV[0]
folder = Pathname(ARGV[1])
formula = Converge.new(folder)
formula.install
opt = folder / "opt/converge"
opt.make_symlink(formula.prefix) unless opt.exist?
puts JSON.generate({ facts: Formula::FACTS, calls: CALLS, ends: formula.run_test })
