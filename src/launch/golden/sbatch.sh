#!/bin/sh
#SBATCH --job-name=lockstep-7
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --time=01:02:05
#SBATCH --partition=gpu
#SBATCH --constraint=gpu
exec /opt/lockstep sweep --models=lenet:2,resnet50:32 '--result_dir=my results'
