from appeval_pipeline.cli.main import main

main()
